/** Which lanes are switched off, by name; a name that this page has no lane of stays, for another version. */
export class LaneSwitches {
  hidden = $state.raw<readonly string[]>([]);

  shows(name: string): boolean {
    return !this.hidden.includes(name);
  }

  toggle(name: string): void {
    this.hidden = this.shows(name)
      ? [...this.hidden, name]
      : this.hidden.filter((other) => other !== name);
  }
}
