/** Lanes under the chart. */
export const LANES = ['posts', 'notes'] as const;

/** The hidden lanes, by name; unknown names stay, for other versions. */
export class LaneSwitches {
  hidden = $state.raw<readonly string[]>([]);

  shows(name: string): boolean {
    return !this.hidden.includes(name);
  }

  /** Rows that the lanes take: the visible ones, and one that lists the hidden ones. */
  get rows(): number {
    const shown = LANES.filter((name) => this.shows(name)).length;
    return shown + (shown < LANES.length ? 1 : 0);
  }

  toggle(name: string): void {
    this.hidden = this.shows(name)
      ? [...this.hidden, name]
      : this.hidden.filter((other) => other !== name);
  }
}
