const KEY = 'groundswell-guide';

/** True to suggest next steps on the sample; this browser remembers when the user dismisses them. */
export class Onboarding {
  shown = $state(true);
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;

  constructor(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null) {
    this.#storage = storage;
    this.shown = storage?.getItem(KEY) !== 'seen';
  }

  dismiss(): void {
    this.shown = false;
    this.#storage?.setItem(KEY, 'seen');
  }

  /** Shows it again until it is dismissed again. */
  show(): void {
    this.shown = true;
    this.#storage?.removeItem(KEY);
  }
}
