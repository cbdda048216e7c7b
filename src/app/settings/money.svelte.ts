import type { PlatformApi } from '#app/api/platform-api.ts';
import type { Access } from '#contract/accounts/access.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import type { PlatformAnswer, PlatformSettings } from '#contract/counts/platform.ts';
import { EntryForm, type EntryValues } from './entry-form.svelte.ts';
import { CAP_FIELDS, readTexts, TERM_FIELDS, textsOf, type SettingField } from './fields.ts';
import { Loaded } from './loaded.svelte.ts';
import type { SettingsBoard } from './settings.ts';
import { sortRows, spentRows, type Grouping, type SpentColumn } from './spending.ts';

/** A form for some of the platform's settings: numbers as texts by their paths, and the access. */
export type SettingsForm = EntryForm<string, PlatformSettings>;

const ALL_TERMS = Object.values(TERM_FIELDS).flat();

/** The platform's terms, the user's caps and the spending, as stored by the service for all tabs. */
export class Spending {
  readonly #api: PlatformApi;
  readonly #board: SettingsBoard;
  readonly #decimal: string;
  readonly terms: SettingsForm;
  readonly caps: SettingsForm;
  /** The service's answer about the platform, also stored on the board. */
  readonly platform = new Loaded(
    () => this.#api.answer(),
    (answer) => void (this.#board.source.platform = answer),
  );
  readonly spending = new Loaded(() => this.#api.spending());
  grouping = $state<Grouping>('query');
  sorting = $state.raw<{ by: SpentColumn; descending: boolean } | null>(null);

  readonly connected: boolean = $derived.by(
    () => this.#board.source.all?.some((source) => source.id === 'platform') ?? false,
  );
  readonly answer: PlatformAnswer | null = $derived.by(() => this.#board.source.platform);
  readonly rows = $derived.by(() => {
    if (!this.spending.value) return [];
    const rows = spentRows(this.spending.value, this.grouping);
    return this.sorting ? sortRows(rows, this.sorting.by, this.sorting.descending) : rows;
  });

  constructor(api: PlatformApi, board: SettingsBoard, decimal: string) {
    this.#api = api;
    this.#board = board;
    this.#decimal = decimal;
    this.terms = this.#form(ALL_TERMS);
    this.caps = this.#form(Object.values(CAP_FIELDS).flat());
  }

  #form(fields: readonly SettingField[]): SettingsForm {
    const [board, decimal] = [this.#board, this.#decimal];
    const values = (settings: PlatformSettings): EntryValues<string> => ({
      ...textsOf(fields, settings, decimal),
      access: settings.access,
    });
    const read = (settings: PlatformSettings, texts: EntryValues<string>) =>
      readTexts(fields, texts, { ...settings, access: texts['access'] as Access }, decimal);
    const saved = (): PlatformSettings | null => board.source.platform?.settings ?? null;
    return new EntryForm<string, PlatformSettings>({
      eager: true,
      initial: () => {
        const settings = saved();
        return settings ? values(settings) : {};
      },
      read: (texts) => {
        const settings = saved();
        return settings ? read(settings, texts) : { order: null, wrong: {} };
      },
      send: async (_, typed) => {
        const newest = (await this.#api.answer()).settings;
        const { order } = read(newest, { ...values(newest), ...(typed as EntryValues<string>) });
        // Another tab's settings can conflict with the values typed here.
        if (!order)
          throw new RangeError('the settings were changed elsewhere; check them and save again');
        board.source.platform = await this.#api.change(order);
        board.askAll();
      },
    });
  }

  /** Fills in the public figures, without saving. Keeps the access level, which belongs to the token. */
  publicFigures(): void {
    this.terms.setAll(textsOf(ALL_TERMS, DEFAULT_PLATFORM_SETTINGS, this.#decimal));
  }

  async loadTerms(): Promise<void> {
    if (this.connected) await this.platform.load();
  }

  async loadSpending(): Promise<void> {
    if (this.connected) await this.spending.load();
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
