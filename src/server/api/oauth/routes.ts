import { openOAuth2 } from '#server/auth/oauth2.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';
import { appOnly } from './app-only.ts';
import { authorize } from './authorize.ts';
import { openConsent } from './consent.ts';
import { threeLegged } from './three-legged.ts';
import { oauthTokens } from './tokens.ts';

/** Signing in: app-only tokens, OAuth 2.0 with PKCE, and OAuth 1.0a. */
export function oauth(deps: ServiceContext): Route[] {
  const oauth2 = openOAuth2(deps);
  const consent = openConsent(deps);
  return [
    ...appOnly(deps),
    ...oauthTokens(deps, oauth2),
    ...authorize(deps, oauth2, consent),
    ...threeLegged(deps, consent),
  ];
}
