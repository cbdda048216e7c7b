import { writtenLocale } from '#app/format/written-locale.ts';
import type { DateLanguages } from './date-finder.ts';
import type { DateReading, ReadingTime } from './range-words.ts';

/** The texts of two fields. */
export interface DateTexts {
  readonly from: string;
  readonly to: string;
}

/** The reader of typed dates in the user's language. */
export async function dateReader(): Promise<
  typeof import('./range-words.ts') & { readonly languages: DateLanguages }
> {
  const [words, finder] = await Promise.all([
    import('./range-words.ts'),
    import('./date-finder.ts'),
  ]);
  const languages = await finder.dateFinder(writtenLocale(navigator.languages));
  return { ...words, languages };
}

/**
 * The dates of two fields. ISO dates are themselves; other forms are read as they are typed, by what is loaded for the
 * first of them, and shown before they are used.
 */
export class TypedDates {
  #read = $state.raw<{ readonly typed: DateTexts; readonly as: DateTexts } | null>(null);
  /** The reason a text is not a date. */
  wrong = $state.raw<Partial<DateTexts> | null>(null);
  readonly #time: () => ReadingTime;
  #readings = 0;

  constructor(time: () => ReadingTime) {
    this.#time = time;
  }

  /** Both texts as ISO, as far as they are known and shown; null until then. */
  known(typed: DateTexts): DateTexts | null {
    if (this.#isPlain(typed.from) && this.#isPlain(typed.to)) return typed;
    const read = this.#read;
    return read?.typed.from === typed.from && read.typed.to === typed.to ? read.as : null;
  }

  /** The dates that were read, where they differ from what is typed: `2017-07-01 – 2017-07-31`. */
  shown(typed: DateTexts): string {
    const as = this.known(typed);
    if (!as || (as.from === typed.from && as.to === typed.to)) return '';
    return [as.from, as.to].filter((text) => text.trim() !== '').join(' – ');
  }

  /** Reads what is typed. @returns The dates; null if one is not known, or the texts changed again. */
  async read(typed: DateTexts): Promise<DateTexts | null> {
    const asked = ++this.#readings;
    this.wrong = null;
    const known = this.known(typed);
    if (known) return known;
    const { readDate, languages } = await dateReader();
    if (asked !== this.#readings) return null;
    const dateOf = (text: string, end: 'first' | 'last', near?: string): DateReading =>
      this.#isPlain(text)
        ? { ok: true, text: text.trim() }
        : readDate(text, languages, this.#time(), end, near);
    const from = dateOf(typed.from, 'first');
    const to = dateOf(typed.to, 'last', from.ok ? from.text : undefined);
    if (from.ok && to.ok) {
      const as = { from: from.text, to: to.text };
      this.#read = { typed, as };
      return as;
    }
    this.wrong = { ...(!from.ok && { from: from.why }), ...(!to.ok && { to: to.why }) };
    return null;
  }

  /** True if a text needs no reading: it is empty, or has the form of ISO dates, so that its fault can be named. */
  #isPlain(text: string): boolean {
    const typed = text.trim();
    return typed === '' || /^\d{4}-\d\d-\d\d(?:[T ].*)?$/.test(typed);
  }
}
