import { fold } from '#core/text/fold.ts';

/**
 * Words for yes and no, and for what spreadsheets show as true and false, by language: the first word of each pair is yes.
 * Compared without case and accents. No word means yes in one of these languages and no in another.
 */
const WORDS: Readonly<Record<string, readonly (readonly [yes: string, no: string])[]>> = {
  en: [
    ['yes', 'no'],
    ['true', 'false'],
    ['y', 'n'],
    ['t', 'f'],
  ],
  ar: [['نعم', 'لا']],
  cs: [
    ['ano', 'ne'],
    ['pravda', 'nepravda'],
  ],
  da: [
    ['ja', 'nej'],
    ['sand', 'falsk'],
  ],
  de: [
    ['ja', 'nein'],
    ['wahr', 'falsch'],
    ['j', 'n'],
  ],
  el: [
    ['ναι', 'όχι'],
    ['αληθής', 'ψευδής'],
  ],
  es: [
    ['sí', 'no'],
    ['verdadero', 'falso'],
    ['s', 'n'],
  ],
  fi: [
    ['kyllä', 'ei'],
    ['tosi', 'epätosi'],
  ],
  fr: [
    ['oui', 'non'],
    ['vrai', 'faux'],
  ],
  hu: [
    ['igen', 'nem'],
    ['igaz', 'hamis'],
  ],
  id: [
    ['ya', 'tidak'],
    ['benar', 'salah'],
  ],
  it: [
    ['sì', 'no'],
    ['vero', 'falso'],
  ],
  ja: [
    ['はい', 'いいえ'],
    ['真', '偽'],
  ],
  ko: [
    ['예', '아니요'],
    ['네', '아니오'],
    ['참', '거짓'],
  ],
  nl: [
    ['ja', 'nee'],
    ['waar', 'onwaar'],
  ],
  no: [
    ['ja', 'nei'],
    ['sann', 'usann'],
  ],
  pl: [
    ['tak', 'nie'],
    ['prawda', 'fałsz'],
  ],
  pt: [
    ['sim', 'não'],
    ['verdadeiro', 'falso'],
  ],
  ro: [
    ['da', 'nu'],
    ['adevărat', 'fals'],
  ],
  ru: [
    ['да', 'нет'],
    ['истина', 'ложь'],
  ],
  sv: [
    ['ja', 'nej'],
    ['sant', 'falskt'],
  ],
  tr: [
    ['evet', 'hayır'],
    ['doğru', 'yanlış'],
  ],
  uk: [['так', 'ні']],
  zh: [
    ['是', '否'],
    ['真', '假'],
  ],
};

/** Turkish has two letters i, whose capitals other languages fold to one. */
const key = (text: string): string => fold(text.trim()).replaceAll('ı', 'i');

const MEANINGS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'x', '✓', '✔', '☑'].map((sign) => [sign, true] as const),
  ...['', '0', '-', '–', '—', '☐', '✗', '✘'].map((sign) => [sign, false] as const),
  ...Object.values(WORDS)
    .flat()
    .flatMap(([yes, no]) => [[key(yes), true] as const, [key(no), false] as const]),
]);

/** The meaning of a cell of yes or no; an empty one means no. Null if it is neither. */
export function readYesNo(text: string): boolean | null {
  return MEANINGS.get(text) ?? MEANINGS.get(key(text)) ?? null;
}
