import type { SettingsBoard } from '#app/settings/settings.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import type { SourceInfo } from '#contract/counts/source.ts';

/** The sources of a board without the rest of the board. */
class TestSources {
  all = $state.raw<readonly SourceInfo[] | null>(null);
  platform = $state.raw<PlatformAnswer | null>(null);
  reads = 0;

  async read(): Promise<boolean> {
    this.reads += 1;
    return true;
  }
}

/** The part of a board that the settings use. Counts its loads. */
export class TestBoard implements SettingsBoard {
  readonly source = new TestSources();
  loads = 0;

  constructor(sources: readonly SourceInfo[] | null) {
    this.source.all = sources;
  }

  askAll(): void {
    this.loads += 1;
  }

  async loadSources(): Promise<void> {
    this.loads += 1;
  }
}
