import type { Service } from '#server/auth/store.ts';
import type { Payer } from './billing.ts';

/** An app that pays for what is delivered to it; null if there is none of that id. */
export function payerOf({ apps }: Pick<Service, 'apps'>, id: string): Payer | null {
  const app = apps.byId(id);
  return app ? { access: app.settings.access, app, user: null } : null;
}
