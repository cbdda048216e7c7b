/** Lanes under the chart. */
export const LANES = ['posts', 'notes'] as const;

/** Which lanes are switched off, by name; a name that this page has no lane of stays, for another version. */
export class LaneSwitches {
  hidden = $state.raw<readonly string[]>([]);

  shows(name: string): boolean {
    return !this.hidden.includes(name);
  }

  /** Rows that the lanes stand in: those shown, and one that names the hidden. */
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
