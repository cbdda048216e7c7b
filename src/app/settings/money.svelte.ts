import type { PlatformApi } from '#app/api/platform-api.ts';
import type { PlatformAnswer, SpendingAnswer } from '#contract/counts/platform.ts';
import { faultText } from '#app/format/fault-text.ts';
import { CAP_FIELDS, TERM_FIELDS } from './fields.ts';
import { SettingsForm } from './form.svelte.ts';
import type { SettingsBoard } from './settings.ts';
import { sortRows, spentRows, type Grouping, type SpentColumn } from './spending.ts';

/** The platform's terms, the user's caps and the spending, as stored by the service for all tabs. */
export class Spending {
  readonly #api: PlatformApi;
  readonly #board: SettingsBoard;
  readonly terms: SettingsForm;
  readonly caps: SettingsForm;
  spending = $state.raw<SpendingAnswer | null>(null);
  /** Why the terms or the spending could not be loaded; empty if they were. */
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

  constructor(api: PlatformApi, board: SettingsBoard, decimal: string) {
    this.#api = api;
    this.#board = board;
    const rest: Omit<ConstructorParameters<typeof SettingsForm>[0], 'fields'> = {
      saved: () => this.#board.source.platform?.settings ?? null,
      change: async (make) => {
        const settings = make((await this.#api.answer()).settings);
        // Another tab's settings can conflict with the values typed here.
        if (!settings)
          throw new RangeError('the settings were changed elsewhere; check them and save again');
        this.#board.source.platform = await this.#api.change(settings);
        this.#board.askAll();
      },
      explain: (error) => faultText(error),
      decimal,
    };
    this.terms = new SettingsForm({ ...rest, fields: Object.values(TERM_FIELDS).flat() });
    this.caps = new SettingsForm({ ...rest, fields: Object.values(CAP_FIELDS).flat() });
  }

  async loadTerms(): Promise<void> {
    if (!this.connected) return;
    try {
      this.#board.source.platform = await this.#api.answer();
      this.termsFault = '';
    } catch (error) {
      this.termsFault = faultText(error);
    }
  }

  async loadSpending(): Promise<void> {
    if (!this.connected) return;
    try {
      this.spending = await this.#api.spending();
      this.spendingFault = '';
    } catch (error) {
      this.spendingFault = faultText(error);
    }
  }

  group(grouping: Grouping): void {
    this.grouping = grouping;
    this.sorting = null;
  }

  /** Sorts by a column: largest or newest first, names ascending; a second time reverses the order. */
  sort(by: SpentColumn): void {
    const same = this.sorting?.by === by;
    const first = by !== 'name';
    this.sorting = { by, descending: same ? !this.sorting?.descending : first };
  }
}
