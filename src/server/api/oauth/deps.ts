import type { DerivedSecrets } from '#server/auth/secrets.ts';
import type { Service } from '#server/auth/store.ts';
import type { Auth } from '#server/auth/tokens.ts';
import type { Http } from '#server/http/serve.ts';

/** What signing in needs. */
export interface OAuthDeps {
  readonly http: Http;
  readonly auth: Auth;
  readonly service: Service;
  readonly secrets: DerivedSecrets;
  /** Epoch ms. */
  readonly now: () => number;
  readonly random: (n: number) => Uint8Array;
}
