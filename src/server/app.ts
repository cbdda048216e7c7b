import { Hono, type Context } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { getPath } from 'hono/utils/url';
import { SIGN_IN_PATH } from '#contract/accounts/login-names.ts';
import { ADVERTISER_BASE, toBaseVersion } from '#contract/ads/advertising.ts';
import { advertiserBody } from '#server/ads/envelope.ts';
import { dashboard } from '#server/api/dashboard/routes.ts';
import { mediaFile } from '#server/api/media/file.ts';
import { v1Errors } from '#server/api/media/v1-answers.ts';
import { signInPages } from '#server/api/sign-in/routes.ts';
import { viewHeaders, viewPage } from '#server/api/dashboard/view-page.ts';
import { errorHandler, methodNotAllowed, nothingAt } from '#server/http/errors.ts';
import { guardHeaders } from '#server/http/headers.ts';
import { checkAddress, type Site } from '#server/http/origin.ts';
import { mount } from '#server/http/serve.ts';
import { watchRequests } from '#server/http/watch.ts';
import { plainProblem, type Fault } from '#contract/fault.ts';
import { PLATFORM_CONNECTION } from '#contract/counts/platform-connection.ts';
import { notConnected } from '#server/platform/connection.ts';
import { storeFault } from './store-fault.ts';
import { CONCEPTS } from './concepts.ts';
import { openContext, type AppDeps } from './context.ts';

/** The answer of every other path of version 1.1 (recorded, platform-facts-additions 1.7). */
const RETIRED = {
  errors: [
    {
      message:
        'You currently have access to a subset of X API V2 endpoints and limited v1.1 endpoints (e.g. media post, oauth) only. If you need access to this endpoint, you may need a different access level. You can learn more here: https://developer.x.com/en/portal/product',
      code: 453,
    },
  ],
};

/** Seconds after which a program asks again for a sample that is being made, which takes up to a minute. */
const SAMPLE_RETRY_SECONDS = 5;

function unfinishedSample(): Fault {
  const retry = { 'retry-after': String(SAMPLE_RETRY_SECONDS) };
  return plainProblem(503, 'Service Unavailable', 'The sample is still being made.', retry);
}

/** Creates the service's HTTP interface. It does not listen: tests call `app.request()` in process. */
export function serviceApp(deps: AppDeps): Hono {
  const context = openContext(deps);
  const { now, connection, network, auth, media } = context;
  const site: Site = network?.site ?? { kind: 'loopback', port: deps.port };
  const app = new Hono({
    router: new TrieRouter(),
    getPath: (request) => toBaseVersion(getPath(request)),
  });
  app.use(watchRequests({ ...deps.monitoring, elapsed: deps.elapsed }));
  app.use(guardHeaders(network !== null));
  app.use(async (c, next) => {
    await next();
    const { headers } = c.res;
    if (!headers.has('date')) headers.set('date', new Date(now()).toUTCString());
  });
  app.use(async (c, next) => {
    checkAddress(c, site);
    await next();
  });
  app.use('/platform/*', async (c, next) => {
    if (!connection.relay && !c.req.path.startsWith(PLATFORM_CONNECTION.info.path)) {
      throw notConnected();
    }
    await next();
  });
  app.use('/sample/*', async (c, next) => {
    // The board shows how the sample grows; a program would take a part for the whole.
    const isProgram = c.req.header('authorization') !== undefined;
    if (isProgram && deps.making() !== null) throw unfinishedSample();
    await next();
  });
  const otherForm = async (c: Context, fault: Fault): Promise<object | null> =>
    (await advertiserBody(c, fault)) ?? v1Errors(c, fault);
  const files = dashboard(deps.assets, deps.built);
  app.use('/view/*', viewHeaders);
  app.onError(errorHandler(storeFault, deps.log, otherForm));
  mount(
    app,
    CONCEPTS.flatMap((routes) => routes(context)),
  );
  app.get('/view/:secret/*', viewPage(context.links, files));
  app.all('/1.1/*', (c) => c.json(RETIRED, 403));
  for (const path of [
    '/2/*',
    '/oauth/*',
    '/oauth2/*',
    '/i/oauth2/*',
    '/i/oauth/*',
    '/sample/*',
    '/platform/*',
    '/control/*',
    '/data/*',
    '/view/*',
    `${ADVERTISER_BASE}/*`,
  ]) {
    app.all(path, (c) => {
      throw nothingAt(c);
    });
  }
  if (network) {
    const { guard, show, submit } = signInPages({ auth, logins: network.logins, now });
    app.get(SIGN_IN_PATH, show);
    app.post('*', submit);
    app.use(guard);
  }
  app.get('/media/:file', mediaFile(media.files));
  app.get('*', files.answer);
  app.all('*', () => {
    throw methodNotAllowed('GET, HEAD');
  });
  return app;
}
