interface MenuLine {
  readonly text: string;
  /** Shown after the text, smaller. */
  readonly hint?: string;
  readonly chosen?: boolean;
  readonly disabled?: boolean;
  /** A line above it. */
  readonly apart?: boolean;
}

/** One line of a menu: an action, one of some choices (with `chosen`), or a name for more entries, which replace the menu's. */
export type MenuEntry = MenuLine &
  ({ readonly act: () => void } | { readonly entries: readonly MenuEntry[] });
