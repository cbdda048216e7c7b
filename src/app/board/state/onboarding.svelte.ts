const KEY = 'groundswell-guide';

/** Whether a visitor of the sample is shown the ways on; remembered in this browser once it was waved away. */
export class Onboarding {
  shown = $state(true);
  readonly #storage: Storage | null;

  constructor(storage: Storage | null) {
    this.#storage = storage;
    this.shown = storage?.getItem(KEY) !== 'seen';
  }

  dismiss(): void {
    this.shown = false;
    this.#storage?.setItem(KEY, 'seen');
  }

  /** Shows it again, until it is waved away again. */
  show(): void {
    this.shown = true;
    this.#storage?.removeItem(KEY);
  }
}
