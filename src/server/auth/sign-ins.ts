import { hash, timingSafeEqual } from 'node:crypto';
import { randomText } from '#server/random.ts';

/** The time for which a sign-in address is valid, ms: long enough to open the browser some time after the start. */
export const SIGN_IN_MS = 3_600_000;

/** Maximum number of valid secrets; another one replaces the oldest. */
const MAX_OPEN = 32;

interface SignIn {
  readonly digest: Buffer;
  /** Epoch ms. */
  readonly until: number;
}

/** One-time secrets that sign browsers in, held only in memory and as hashes. */
export class SignIns {
  readonly #deps: { now: () => number; random: (n: number) => Uint8Array };
  #open: SignIn[] = [];

  constructor(deps: { now: () => number; random: (n: number) => Uint8Array }) {
    this.#deps = deps;
  }

  /** Issues a secret that works once, within {@link SIGN_IN_MS}. */
  issue(): string {
    const secret = randomText(this.#deps.random, 32);
    const until = this.#deps.now() + SIGN_IN_MS;
    const digest = hash('sha256', secret, 'buffer');
    this.#open = [...this.#open, { digest, until }].slice(-MAX_OPEN);
    return secret;
  }

  /** Uses a secret up. @returns Whether it was valid. */
  redeem(secret: string): boolean {
    const shown = hash('sha256', secret, 'buffer');
    const now = this.#deps.now();
    this.#open = this.#open.filter(({ until }) => until > now);
    // Compares all secrets, so that the time taken reveals nothing about them.
    const found = this.#open.filter(({ digest }) => timingSafeEqual(digest, shown));
    this.#open = this.#open.filter((each) => !found.includes(each));
    return found.length > 0;
  }
}
