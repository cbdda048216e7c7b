import * as v from 'valibot';
import { endpoint } from './endpoint.ts';

/** The description of the interface, which anyone may read (platform-facts-additions, section 0). */
export const DESCRIPTION = {
  openapi: endpoint('GET', '/2/openapi.json', {
    aliases: ['/openapi.json'],
    source: 'platform-facts-additions, section 0',
    authentication: ['none'],
    response: v.looseObject({
      openapi: v.string(),
      info: v.looseObject({}),
      paths: v.looseObject({}),
    }),
  }),
};
