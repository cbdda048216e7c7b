/** What a user has typed or chosen, by field. */
export type Values<F extends string> = Readonly<Record<F, string | boolean>>;

/** What is wrong, by field, in plain words. */
export type Wrong<F extends string> = Readonly<Partial<Record<F, string>>>;

/** An order made of values, or what is wrong with them; an order of null changes nothing. */
export type Read<F extends string, Order> =
  | { readonly order: Order | null; readonly wrong: Readonly<Record<string, never>> }
  | { readonly order: null; readonly wrong: Wrong<F> };

export interface EntryDeps<F extends string, Order> {
  readonly initial: Values<F>;
  read(values: Values<F>): Read<F, Order>;
  /** Sends the order; throws the service's refusals. */
  send(order: Order): Promise<void>;
  explain(error: unknown): string;
}

/** What a field needs of its form. */
export type Entries<F extends string> = Pick<
  EntryForm<F, unknown>,
  'values' | 'wrong' | 'set' | 'leave'
>;

/** A form for one order to the service. A mistake shows once its field was left, or when the user tries to save. */
export class EntryForm<F extends string, Order> {
  readonly #deps: EntryDeps<F, Order>;
  values: Values<F>;
  #visited = $state.raw<ReadonlySet<F>>(new Set());
  #tried = $state(false);
  saving = $state(false);
  /** Why the service refused the order; empty if it did not. */
  refusal = $state('');

  readonly #read: Read<F, Order>;
  readonly dirty: boolean;
  /** The mistakes to show, by field. */
  readonly wrong: Wrong<F>;

  constructor(deps: EntryDeps<F, Order>) {
    this.#deps = deps;
    this.values = $state.raw(deps.initial);
    this.#read = $derived(deps.read(this.values));
    this.dirty = $derived(
      (Object.keys(deps.initial) as F[]).some(
        (field) => this.values[field] !== deps.initial[field],
      ),
    );
    this.wrong = $derived.by(() => {
      const fields = Object.entries(this.#read.wrong) as [F, string][];
      return Object.fromEntries(
        fields.filter(([field]) => this.#tried || this.#visited.has(field)),
      ) as Wrong<F>;
    });
  }

  set(field: F, value: string | boolean): void {
    this.values = { ...this.values, [field]: value };
    this.refusal = '';
  }

  /** Notes that the user has left a field that they changed. */
  leave(field: F): void {
    if (this.values[field] === this.#deps.initial[field]) return;
    this.#visited = new Set([...this.#visited, field]);
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
    this.saving = true;
    this.refusal = '';
    try {
      await this.#deps.send(order);
      return true;
    } catch (error) {
      this.refusal = this.#deps.explain(error);
      return false;
    } finally {
      this.saving = false;
    }
  }
}
