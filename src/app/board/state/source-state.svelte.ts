import { SIGNED_OUT } from '#app/api/answer-fault.ts';
import type { OwnSource } from '#app/api/breakdown-api.ts';
import { Fault } from '#contract/fault.ts';
import type { Access } from '#contract/accounts/access.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import { hasArchive } from '#contract/counts/platform-terms.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { toError } from '#core/thrown.ts';
import type { Preset } from '#core/time/presets.ts';
import type { SourceId, SourceInfo } from '#contract/counts/source.ts';
import type { BoardOptions } from './board-options.ts';

/** The source of a board's counts, and what it allows. */
export class BoardSource {
  readonly #options: Pick<BoardOptions, 'sources' | 'platform'>;
  /** All sources; null until they are known. */
  all = $state.raw<readonly SourceInfo[] | null>(null);
  id = $state<SourceId>('sample');
  /** The chosen source; null until it is known. */
  readonly info = $derived.by(() => this.all?.find(({ id }) => id === this.id) ?? null);
  /** The reason {@link all} could not be read. */
  fault = $state.raw<Error | null>(null);
  offline = $state(false);
  /** True if the service answers but this browser has no session. */
  signedOut = $state(false);
  /** Terms, caps and spending of the platform; null without a platform, and until they are known. */
  platform = $state.raw<PlatformAnswer | null>(null);
  /** True if the user or the URL chose the source. */
  chosen = $state(false);
  chosenEndpoint = $state<CountsEndpoint>('all');
  /** The dashboard reads the user's own posts without limit; the platform grants what its token allows. */
  readonly access: Access = $derived.by(() =>
    this.id === 'platform' && this.platform ? this.platform.settings.access : 'enterprise',
  );
  /** True if the platform's token reaches only the last seven days. */
  readonly recentOnly = $derived.by(() => !hasArchive(this.access));
  readonly endpoint: CountsEndpoint = $derived.by(() =>
    this.recentOnly ? 'recent' : this.chosenEndpoint,
  );
  /** The source if the service breaks its Posts down and ranks them; null for the platform and a cluster. */
  readonly analysed: OwnSource | null = $derived.by(() =>
    this.id === 'platform' || this.info?.cluster ? null : this.id,
  );
  /** The source if the service can watch its topics; null for a platform that is not connected. */
  readonly watched: SourceId | null = $derived.by(() =>
    this.id === 'platform' && !this.platform ? null : this.id,
  );
  /** Number of the user's own posts. */
  readonly ownPosts = $derived.by(
    () => this.all?.find((source) => source.id === 'posts')?.posts ?? 0,
  );

  constructor(options: Pick<BoardOptions, 'sources' | 'platform'>) {
    this.#options = options;
  }

  /** Reads the list of sources. @returns Whether that succeeded; {@link fault} says why not. */
  async read(): Promise<boolean> {
    try {
      const { sources, offline, signedOut } = await this.#options.sources();
      this.all = sources;
      this.offline = offline;
      this.signedOut = signedOut === true;
      this.fault = null;
    } catch (error) {
      this.offline = true;
      this.signedOut = error instanceof Fault && error.body.type === SIGNED_OUT;
      this.fault = toError(error);
      return false;
    }
    await this.loadPlatform();
    return true;
  }

  /** Reads the platform's settings again; keeps the known ones if that fails. */
  async loadPlatform(): Promise<void> {
    if (!this.all?.some((source) => source.id === 'platform')) this.platform = null;
    else this.platform = await this.#options.platform().catch(() => this.platform);
  }

  /** The longest range that costs one request per query on the platform. */
  cheapRange(): Preset {
    return this.platform?.settings.access === 'self-service' ? '7d' : '30d';
  }
}
