/** A queue of numbered events, earliest first; of the same time, the one that was added first. */
export class Events {
  #at = new Float64Array(1024);
  #order = new Float64Array(1024);
  #event = new Int32Array(1024);
  #size = 0;
  #added = 0;

  get size(): number {
    return this.#size;
  }

  /** Time of the earliest event; Infinity if there is none. */
  get next(): number {
    return this.#size === 0 ? Infinity : this.#at[0]!;
  }

  add(at: number, event: number): void {
    if (this.#size === this.#at.length) this.#grow();
    let here = this.#size++;
    this.#put(here, at, this.#added++, event);
    while (here > 0) {
      const parent = (here - 1) >> 1;
      if (!this.#isBefore(here, parent)) break;
      this.#exchange(here, parent);
      here = parent;
    }
  }

  /** Removes the earliest event. @throws {RangeError} if there is none. */
  take(): number {
    if (this.#size === 0) throw new RangeError('expected an event, got an empty queue');
    const event = this.#event[0]!;
    const last = --this.#size;
    this.#put(0, this.#at[last]!, this.#order[last]!, this.#event[last]!);
    for (let here = 0; ;) {
      let least = here;
      for (const child of [2 * here + 1, 2 * here + 2]) {
        if (child < last && this.#isBefore(child, least)) least = child;
      }
      if (least === here) return event;
      this.#exchange(here, least);
      here = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [first, second] = [this.#at[a]!, this.#at[b]!];
    return first < second || (first === second && this.#order[a]! < this.#order[b]!);
  }

  #put(here: number, at: number, order: number, event: number): void {
    this.#at[here] = at;
    this.#order[here] = order;
    this.#event[here] = event;
  }

  #exchange(a: number, b: number): void {
    const [at, order, event] = [this.#at[a]!, this.#order[a]!, this.#event[a]!];
    this.#put(a, this.#at[b]!, this.#order[b]!, this.#event[b]!);
    this.#put(b, at, order, event);
  }

  #grow(): void {
    const [at, order, event] = [this.#at, this.#order, this.#event];
    this.#at = new Float64Array(at.length * 2);
    this.#at.set(at);
    this.#order = new Float64Array(at.length * 2);
    this.#order.set(order);
    this.#event = new Int32Array(at.length * 2);
    this.#event.set(event);
  }
}
