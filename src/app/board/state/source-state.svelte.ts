import { SIGNED_OUT } from '#app/api/answer-fault.ts';
import { Fault } from '#contract/fault.ts';
import type { Access, CountsEndpoint } from '#contract/counts.ts';
import type { PlatformAnswer } from '#contract/platform.ts';
import { hasArchive } from '#contract/platform-terms.ts';
import type { Preset } from '#core/time/presets.ts';
import { SeriesList } from './series-list.svelte.ts';

/** What a board counts from, and what that allows. */
export abstract class SourceState extends SeriesList {
  /** Why {@link sources} could not be had, where it never could. */
  sourcesFault = $state.raw<Error | null>(null);
  offline = $state(false);
  /** Whether the service answers and this browser has no session. */
  signedOut = $state(false);
  /** Terms, caps and sums of the platform; null without one, and until they are known. */
  platform = $state.raw<PlatformAnswer | null>(null);
  /** Whether the user or the address chose the source. */
  sourceChosen = $state(false);
  protected chosenEndpoint = $state<CountsEndpoint>('all');
  /** The service's own dashboard reads own posts without limit; the platform by what its token may. */
  readonly access: Access = $derived.by(() =>
    this.sourceId === 'platform' && this.platform ? this.platform.settings.access : 'enterprise',
  );
  /** Whether the platform's token reaches the last seven days alone. */
  readonly recentOnly = $derived.by(() => !hasArchive(this.access));
  readonly endpoint: CountsEndpoint = $derived.by(() =>
    this.recentOnly ? 'recent' : this.chosenEndpoint,
  );
  readonly shownOffline = $derived.by(
    () => this.offline || this.series.some((one) => one.run.offline),
  );
  /** Posts that the user brought. */
  readonly held = $derived.by(
    () => this.sources?.find((source) => source.id === 'posts')?.posts ?? 0,
  );

  /** Reads what there is to count from. @returns Whether that could be had; why not is told. */
  protected async readSources(): Promise<boolean> {
    try {
      const { sources, offline, signedOut } = await this.deps.sources();
      this.sources = sources;
      this.offline = offline;
      this.signedOut = signedOut === true;
      this.sourcesFault = null;
    } catch (error) {
      this.offline = true;
      this.signedOut = error instanceof Fault && error.body.type === SIGNED_OUT;
      this.sourcesFault = error instanceof Error ? error : new Error(String(error));
      return false;
    }
    await this.loadPlatform();
    return true;
  }

  /** Reads the platform's settings anew where there is a platform; what was known stays where they cannot be had. */
  async loadPlatform(): Promise<void> {
    if (!this.sources?.some((source) => source.id === 'platform')) this.platform = null;
    else this.platform = await this.deps.platform().catch(() => this.platform);
  }

  /** As much of the platform as one request a query tells. */
  protected cheapRange(): Preset {
    return this.platform?.settings.access === 'self-service' ? '7d' : '30d';
  }
}
