/** One line of a menu: an action, or, with `chosen`, one of some choices. */
export interface MenuEntry {
  readonly text: string;
  /** Shown after the text, smaller. */
  readonly hint?: string;
  readonly chosen?: boolean;
  readonly disabled?: boolean;
  /** A line above it. */
  readonly apart?: boolean;
  readonly act: () => void;
}
