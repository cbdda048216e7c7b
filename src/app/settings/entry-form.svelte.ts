import { faultText } from '#app/format/fault-text.ts';

/** The values that a user has typed or chosen, by field. */
export type EntryValues<F extends string> = Readonly<Record<F, string | boolean>>;

/** The faults, by field, in plain words. */
export type Wrong<F extends string> = Readonly<Partial<Record<F, string>>>;

/** An order made of values, or what is wrong with them; an order of null changes nothing. */
export type Read<F extends string, Order> =
  | { readonly order: Order | null; readonly wrong: Readonly<Record<string, never>> }
  | { readonly order: null; readonly wrong: Wrong<F> };

export interface EntryDeps<F extends string, Order> {
  /** The values as stored. */
  initial(): EntryValues<F>;
  read(values: EntryValues<F>): Read<F, Order>;
  /**
   * Sends the order; throws the service's refusals.
   *
   * @param typed - The values that the user typed or chose, to put on top of newer stored ones.
   */
  send(order: Order, typed: Partial<EntryValues<F>>): Promise<void>;
  /** True if a mistake shows as soon as it is typed. */
  readonly eager?: boolean;
}

/** The members of its form that a field needs. */
export type Entries<F extends string> = Pick<
  EntryForm<F, unknown>,
  'values' | 'wrong' | 'set' | 'leave'
>;

/** The field of a form that a control is for, and its words. */
export interface EntryProps<F extends string> {
  form: Entries<F>;
  field: F;
  label: string;
  hint?: string;
}

/**
 * A form for one order to the service: only typed values change, the rest stays as stored. A mistake shows once its
 * field was left, or when the user tries to save.
 */
export class EntryForm<F extends string, Order> {
  readonly #deps: EntryDeps<F, Order>;
  #typed = $state.raw<Partial<EntryValues<F>>>({});
  #visited = $state.raw<ReadonlySet<F>>(new Set());
  #tried = $state(false);
  saving = $state(false);
  /** The reason the service refused the order; empty if it did not. */
  refusal = $state('');

  readonly #initial: EntryValues<F> = $derived.by(() => this.#deps.initial());
  readonly values: EntryValues<F> = $derived({ ...this.#initial, ...this.#typed });
  readonly #read: Read<F, Order> = $derived.by(() => this.#deps.read(this.values));
  readonly dirty: boolean = $derived(
    (Object.keys(this.#typed) as F[]).some((field) => this.#isChanged(field)),
  );
  /** True if there is something to save, and nothing is wrong with it. */
  readonly ready: boolean = $derived(this.dirty && !this.saving && this.#read.order !== null);
  /** The mistakes to show, by field. */
  readonly wrong: Wrong<F> = $derived.by(() => {
    const fields = Object.entries(this.#read.wrong) as [F, string][];
    const shown = this.#deps.eager === true || this.#tried;
    return Object.fromEntries(
      fields.filter(([field]) => shown || this.#visited.has(field)),
    ) as Wrong<F>;
  });

  constructor(deps: EntryDeps<F, Order>) {
    this.#deps = deps;
  }

  #isChanged(field: F): boolean {
    return String(this.values[field]).trim() !== String(this.#initial[field]).trim();
  }

  set(field: F, value: string | boolean): void {
    this.setAll({ [field]: value } as Partial<EntryValues<F>>);
  }

  /** Sets some fields, without saving. */
  setAll(values: Partial<EntryValues<F>>): void {
    this.#typed = { ...this.#typed, ...values };
    this.refusal = '';
  }

  /** Returns to the stored values. */
  discard(): void {
    this.#typed = {};
    this.refusal = '';
  }

  /** Notes that the user has left a field that they changed. */
  leave(field: F): void {
    if (this.#isChanged(field)) this.#visited = new Set([...this.#visited, field]);
  }

  /**
   * Sends the order if the values are valid and change anything. What was typed stays if it fails.
   *
   * @returns Whether the service has what the form says.
   */
  async save(): Promise<boolean> {
    if (this.saving) return false;
    this.#tried = true;
    const { order, wrong } = this.#read;
    if (order === null) return Object.keys(wrong).length === 0;
    const typed = this.#typed;
    this.saving = true;
    this.refusal = '';
    try {
      await this.#deps.send(order, typed);
      // Values typed meanwhile are not saved yet.
      if (this.#typed === typed) this.#typed = {};
      return true;
    } catch (error) {
      this.refusal = faultText(error);
      return false;
    } finally {
      this.saving = false;
    }
  }
}
