import type { SettingsBoard } from '#app/settings/settings.ts';
import type { PlatformAnswer } from '#contract/platform.ts';
import type { SourceInfo } from '#contract/source.ts';

/** The sources of a board without the rest of it. */
class TestSources {
  all = $state.raw<readonly SourceInfo[] | null>(null);
  platform = $state.raw<PlatformAnswer | null>(null);
}

/** What the settings see of a board; counts how often it was asked to fetch again. */
export class TestBoard implements SettingsBoard {
  readonly source = new TestSources();
  readonly time = { zone: 'Europe/Berlin' };
  asked = 0;

  constructor(sources: readonly SourceInfo[] | null) {
    this.source.all = sources;
  }

  askAll(): void {
    this.asked += 1;
  }
}
