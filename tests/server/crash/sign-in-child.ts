import { randomBytes as random } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openOAuth2, type OAuth2TokenRequest } from '#server/auth/oauth2.ts';
import { derivedSecrets } from '#server/auth/secrets.ts';
import { openService } from '#server/auth/store.ts';
import { killer, type KillStep } from './kill-step.ts';

/** Start data of {@link file://./sign-in-child.ts}, as JSON. */
export interface SignInJob {
  readonly file: string;
  readonly request: OAuth2TokenRequest;
  readonly kill: KillStep | null;
  /** A nonce to record first; the process then kills itself. */
  readonly nonce?: string;
}

/** Timestamp of the nonce, Unix seconds. */
const NONCE_AT = 1_790_000_000;

const { file, request, kill, nonce } = JSON.parse(process.argv[2]!) as SignInJob;
const service = openService(file, { random }, { onStep: killer(kill) });
if (nonce !== undefined) {
  service.nonces.take('token', nonce, NONCE_AT);
  process.kill(process.pid, 'SIGKILL');
}
const secrets = derivedSecrets(service.secret('apps'));
const answer = await openOAuth2({ service, secrets, now: Date.now, random }).exchange(request);
writeSync(1, JSON.stringify(answer));
service.close();
