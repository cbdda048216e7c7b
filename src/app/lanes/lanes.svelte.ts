/** The hidden lanes, by name; unknown names stay, for other versions. */
export class LaneSwitches {
  hidden = $state.raw<readonly string[]>([]);

  shows(name: string): boolean {
    return !this.hidden.includes(name);
  }

  /** Rows that lanes with content take: the visible ones, and one that lists the hidden ones. */
  rows(filled: readonly string[]): number {
    const shown = filled.filter((name) => this.shows(name)).length;
    return shown + (shown < filled.length ? 1 : 0);
  }

  show(name: string): void {
    if (!this.shows(name)) this.toggle(name);
  }

  toggle(name: string): void {
    this.hidden = this.shows(name)
      ? [...this.hidden, name]
      : this.hidden.filter((other) => other !== name);
  }
}
