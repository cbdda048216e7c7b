const KEY = 'groundswell-account';

/** Decimal text, like all ids; anything else in the storage is ignored. */
function idOf(stored: string | null | undefined): string | null {
  return stored && /^\d{1,20}$/.test(stored) ? stored : null;
}

/** The account that this browser acts as in Your posts; stored here, never in the address. */
export class ActingAccount {
  /** Null for none. */
  id = $state.raw<string | null>(null);
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'> | null;
  readonly #onGone: () => void;

  /** @param onGone - Called when the account turns out not to exist any more, once. */
  constructor(storage: Pick<Storage, 'getItem' | 'setItem'> | null, onGone: () => void) {
    this.#storage = storage;
    this.#onGone = onGone;
    this.id = idOf(storage?.getItem(KEY));
  }

  choose(id: string | null): void {
    this.id = id;
    this.#storage?.setItem(KEY, id ?? '');
  }

  /** Acts as none again if an account that does not exist is still chosen. */
  gone(id: string): void {
    if (this.id !== id) return;
    this.choose(null);
    this.#onGone();
  }

  /** Follows a choice in another tab. */
  follow({ key, newValue }: Pick<StorageEvent, 'key' | 'newValue'>): void {
    if (key === KEY) this.id = idOf(newValue);
  }
}
