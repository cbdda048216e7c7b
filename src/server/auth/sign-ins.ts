import { hash, timingSafeEqual } from 'node:crypto';

/** How long an address signs in, ms: for whoever starts the service and opens the browser later. */
export const SIGN_IN_MS = 3_600_000;

/** Secrets that are good at once, at most; a further one takes the place of the oldest. */
const MOST = 32;

interface SignIn {
  readonly digest: Buffer;
  /** Epoch ms. */
  readonly until: number;
}

/** The one-time secrets that sign browsers in. They are in memory alone, as hashes. */
export class SignIns {
  readonly #deps: { now: () => number; random: (n: number) => Uint8Array };
  #open: SignIn[] = [];

  constructor(deps: { now: () => number; random: (n: number) => Uint8Array }) {
    this.#deps = deps;
  }

  /** A new secret, good once and for {@link SIGN_IN_MS}. */
  issue(): string {
    const secret = Buffer.from(this.#deps.random(32)).toString('base64url');
    const until = this.#deps.now() + SIGN_IN_MS;
    const digest = hash('sha256', secret, 'buffer');
    this.#open = [...this.#open, { digest, until }].slice(-MOST);
    return secret;
  }

  /** Whether a secret is good; from then on it no longer is. */
  redeem(secret: string): boolean {
    const shown = hash('sha256', secret, 'buffer');
    const now = this.#deps.now();
    this.#open = this.#open.filter(({ until }) => until > now);
    // Every one is compared, so that the time says nothing of which is near.
    const found = this.#open.filter(({ digest }) => timingSafeEqual(digest, shown));
    this.#open = this.#open.filter((each) => !found.includes(each));
    return found.length > 0;
  }
}
