import { hash, timingSafeEqual } from 'node:crypto';

/** How long an address signs in, ms: long enough to start the service and open the browser later. */
export const SIGN_IN_MS = 3_600_000;

/** Most secrets that are valid at once; a further one replaces the oldest. */
const MOST = 32;

interface SignIn {
  readonly digest: Buffer;
  /** Epoch ms. */
  readonly until: number;
}

/** The one-time secrets that sign browsers in, stored in memory only, as hashes. */
export class SignIns {
  readonly #deps: { now: () => number; random: (n: number) => Uint8Array };
  #open: SignIn[] = [];

  constructor(deps: { now: () => number; random: (n: number) => Uint8Array }) {
    this.#deps = deps;
  }

  /** A new secret, valid once, for {@link SIGN_IN_MS}. */
  issue(): string {
    const secret = Buffer.from(this.#deps.random(32)).toString('base64url');
    const until = this.#deps.now() + SIGN_IN_MS;
    const digest = hash('sha256', secret, 'buffer');
    this.#open = [...this.#open, { digest, until }].slice(-MAX_OPEN);
    return secret;
  }

  /** Whether a secret is valid. Afterwards it is not valid any more. */
  redeem(secret: string): boolean {
    const shown = hash('sha256', secret, 'buffer');
    const now = this.#deps.now();
    this.#open = this.#open.filter(({ until }) => until > now);
    // All are compared, so that the time reveals nothing about them.
    const found = this.#open.filter(({ digest }) => timingSafeEqual(digest, shown));
    this.#open = this.#open.filter((each) => !found.includes(each));
    return found.length > 0;
  }
}
