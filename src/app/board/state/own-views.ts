import { formatView, type View } from './view.ts';

const KEY = 'groundswell-own-views';
/** An older view asks once more before it loads. */
const MAX_CHARS = 400_000;

/** Each query of a view with everything else that determines what it would buy, as text. */
function textsOf(view: View): string[] {
  const { source, range, zone, resolution, endpoint, weekStart, comparison, fine, zoom } = view;
  const rest: View = {
    ...(source && { source }),
    ...(range && { range }),
    ...(zone && { zone }),
    ...(resolution && { resolution }),
    ...(endpoint && { endpoint }),
    ...(weekStart && { weekStart }),
    ...(comparison && { comparison }),
    ...(fine && { fine, ...(zoom && { zoom }) }),
  };
  const queries = (view.series ?? []).map(({ query }) => query.trim()).filter(Boolean);
  return queries.map((query) =>
    formatView({ ...rest, series: [{ query, label: '', hidden: false }] }),
  );
}

/**
 * The views that this user made or loaded in this browser. Only the page adds one, so no address, file or other login
 * can claim to be one.
 */
export class OwnViews {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'> | null;
  /** Oldest first; holds them where the browser stores nothing. */
  #texts: readonly string[] = [];

  /** @param storage - `localStorage`; null if there is none: then they last as long as the page. */
  constructor(storage: Pick<Storage, 'getItem' | 'setItem'> | null) {
    this.#storage = storage;
  }

  /** The views that any tab has stored, and those of this page. */
  #read(): readonly string[] {
    try {
      const stored: unknown = JSON.parse(this.#storage?.getItem(KEY) ?? '[]');
      const texts = Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
      return [...new Set([...texts, ...this.#texts])];
    } catch {
      return this.#texts;
    }
  }

  /** True if this user made or loaded every query of a view with its range. */
  has(view: View): boolean {
    const own = new Set(this.#read());
    return textsOf(view).every((text) => own.has(text));
  }

  add(view: View): void {
    const added = textsOf(view);
    const before = this.#read();
    // Nothing to write where they are the newest already.
    if (added.every((text) => before.slice(-added.length).includes(text))) return;
    const texts = [...before.filter((text) => !added.includes(text)), ...new Set(added)];
    let chars = 0;
    const newest: string[] = [];
    for (const text of texts.toReversed()) {
      chars += text.length;
      if (chars > MAX_CHARS) break;
      newest.unshift(text);
    }
    this.#texts = newest;
    try {
      this.#storage?.setItem(KEY, JSON.stringify(this.#texts));
    } catch {
      // No room: they last as long as the page.
    }
  }
}
