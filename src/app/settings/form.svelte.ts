import type { Access } from '#contract/accounts/access.ts';
import type { PlatformSettings } from '#contract/counts/platform.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import { readTexts, textsOf, type Field, type Read } from './fields.ts';

export interface FormDeps {
  readonly fields: readonly Field[];
  /** The settings as last reported by the service; null before that. */
  saved(): PlatformSettings | null;
  /** Changes the newest settings and saves them at the service; throws its refusals. */
  change(make: (newest: PlatformSettings) => PlatformSettings | null): Promise<void>;
  /** Formats a refusal. */
  explain(error: unknown): string;
  /** The decimal separator. */
  readonly decimal: string;
}

/** Some of the platform's settings while they are edited: only typed values change, the rest stays as stored. */
export class SettingsForm {
  readonly #deps: FormDeps;
  #typed = $state.raw<Readonly<Record<string, string>>>({});
  #access = $state<Access | null>(null);
  saving = $state(false);
  /** Why the service refused the settings; empty if it accepted them. */
  refusal = $state('');

  readonly #stored: Readonly<Record<string, string>> = $derived.by(() => {
    const settings = this.#deps.saved();
    return settings ? textsOf(this.#deps.fields, settings, this.#deps.decimal) : {};
  });
  readonly texts: Readonly<Record<string, string>> = $derived({ ...this.#stored, ...this.#typed });
  readonly access: Access | null = $derived.by(
    () => this.#access ?? this.#deps.saved()?.access ?? null,
  );
  readonly #read: Read | null = $derived.by(() => {
    const settings = this.#deps.saved();
    return settings && this.#over(settings);
  });
  /** What is wrong, by path. */
  readonly wrong: Readonly<Record<string, string>> = $derived(this.#read?.wrong ?? {});
  readonly dirty: boolean = $derived.by(
    () =>
      (this.#access !== null && this.#access !== this.#deps.saved()?.access) ||
      Object.entries(this.#typed).some(([path, text]) => text.trim() !== this.#stored[path]),
  );
  readonly ready: boolean = $derived(
    this.dirty && !this.saving && this.#read !== null && this.#read.settings !== null,
  );

  constructor(deps: FormDeps) {
    this.#deps = deps;
  }

  /** The settings with the typed values. */
  #over(settings: PlatformSettings): Read {
    const { fields, decimal } = this.#deps;
    const texts = { ...textsOf(fields, settings, decimal), ...this.#typed };
    return readTexts(
      fields,
      texts,
      { ...settings, access: this.#access ?? settings.access },
      decimal,
    );
  }

  type(path: string, text: string): void {
    this.#typed = { ...this.#typed, [path]: text };
    this.refusal = '';
  }

  chooseAccess(access: Access): void {
    this.#access = access;
    this.refusal = '';
  }

  discard(): void {
    this.#typed = {};
    this.#access = null;
    this.refusal = '';
  }

  /** Fills in the public figures, without saving. Keeps the access level, which belongs to the token. */
  publicFigures(): void {
    this.#typed = textsOf(this.#deps.fields, DEFAULT_PLATFORM_SETTINGS, this.#deps.decimal);
    this.refusal = '';
  }

  /** Saves the typed values, on top of what another tab saved meanwhile. @returns Whether it succeeded. */
  async save(): Promise<boolean> {
    if (!this.ready) return false;
    const [typed, access] = [this.#typed, this.#access];
    this.saving = true;
    this.refusal = '';
    try {
      await this.#deps.change((newest) => this.#over(newest).settings);
      // Values typed during the save are not saved yet.
      if (this.#typed === typed) this.#typed = {};
      if (this.#access === access) this.#access = null;
      return true;
    } catch (error) {
      this.refusal = this.#deps.explain(error);
      return false;
    } finally {
      this.saving = false;
    }
  }
}
