import type { PlatformApi } from '#app/api/platform-api.ts';
import type { PlatformAnswer, SpendingAnswer } from '#contract/platform.ts';
import { faultText } from '#app/format/fault-text.ts';
import { CAP_FIELDS, TERM_FIELDS } from './fields.ts';
import { SettingsForm } from './form.svelte.ts';
import type { SettingsBoard } from './settings.ts';
import { sortRows, spentRows, type Grouping, type SpentColumn } from './spending.ts';

/** The platform's terms, the user's caps and what was spent, as the service holds them for all tabs. */
export class Spending {
  readonly #desk: PlatformApi;
  readonly #board: SettingsBoard;
  readonly terms: SettingsForm;
  readonly caps: SettingsForm;
  spending = $state.raw<SpendingAnswer | null>(null);
  /** Why the terms or the spending could not be had; empty where they were. */
  termsFault = $state('');
  spendingFault = $state('');
  grouping = $state<Grouping>('query');
  sorting = $state.raw<{ by: SpentColumn; descending: boolean } | null>(null);

  readonly connected: boolean = $derived.by(
    () => this.#board.source.all?.some((source) => source.id === 'platform') ?? false,
  );
  readonly answer: PlatformAnswer | null = $derived.by(() => this.#board.source.platform);
  readonly rows = $derived.by(() => {
    if (!this.spending) return [];
    const rows = spentRows(this.spending, this.grouping);
    return this.sorting ? sortRows(rows, this.sorting.by, this.sorting.descending) : rows;
  });

  constructor(desk: PlatformApi, board: SettingsBoard, decimal: string) {
    this.#desk = desk;
    this.#board = board;
    const rest: Omit<ConstructorParameters<typeof SettingsForm>[0], 'fields'> = {
      saved: () => this.#board.source.platform?.settings ?? null,
      change: async (make) => {
        const settings = make((await this.#desk.answer()).settings);
        // Another tab's settings can leave no place for what was typed here.
        if (!settings) throw new RangeError('the settings were changed elsewhere; look again');
        this.#board.source.platform = await this.#desk.change(settings);
        this.#board.askAll();
      },
      says: (error) => faultText(error),
      decimal,
    };
    this.terms = new SettingsForm({ ...rest, fields: Object.values(TERM_FIELDS).flat() });
    this.caps = new SettingsForm({ ...rest, fields: Object.values(CAP_FIELDS).flat() });
  }

  async loadTerms(): Promise<void> {
    if (!this.connected) return;
    try {
      this.#board.source.platform = await this.#desk.answer();
      this.termsFault = '';
    } catch (error) {
      this.termsFault = faultText(error);
    }
  }

  async loadSpending(): Promise<void> {
    if (!this.connected) return;
    try {
      this.spending = await this.#desk.spending();
      this.spendingFault = '';
    } catch (error) {
      this.spendingFault = faultText(error);
    }
  }

  group(grouping: Grouping): void {
    this.grouping = grouping;
    this.sorting = null;
  }

  /** Sorts by a column: the most or newest first, of names the first; again, the other way round. */
  sort(by: SpentColumn): void {
    const same = this.sorting?.by === by;
    const first = by !== 'name';
    this.sorting = { by, descending: same ? !this.sorting?.descending : first };
  }
}
