import type { SettingsBoard } from '#app/settings/settings.ts';
import type { PlatformAnswer } from '#contract/platform.ts';
import type { SourceInfo } from '#contract/source.ts';

/** What the settings see of a board, and how often it was asked to look again. */
export class TestBoard implements SettingsBoard {
  sources = $state.raw<readonly SourceInfo[] | null>(null);
  readonly zone = 'Europe/Berlin';
  platform = $state.raw<PlatformAnswer | null>(null);
  asked = 0;

  constructor(sources: readonly SourceInfo[] | null) {
    this.sources = sources;
  }

  askAll(): void {
    this.asked += 1;
  }
}
