/**
 * The words of a language around dates: what comes between two dates, before a number of days, and before a start. The
 * names of months, weekdays, units and of "yesterday" or "last month" come from `Intl`. All are parts of regular
 * expressions, in lower case.
 */
export interface Vocabulary {
  /** "last", as in "the last 6 weeks". */
  readonly last: string;
  readonly since: string;
  /** "since" where it follows the date. */
  readonly onward?: string;
  /** "to", as in "3 May to 9 May". */
  readonly to: string;
  readonly between: string;
  readonly and: string;
  /** "from", as in "from 3 May to 9 May". */
  readonly from: string;
  /** Short words before and in a date that change nothing: "the", "on", "of", "at". */
  readonly fillers: string;
  /** Units that `Intl` names in another way. */
  readonly units?: Readonly<Record<string, Unit>>;
}

/** Units of "the last 6 weeks". */
export type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** By the language's code of two letters; exactly those that chrono-node reads as well. */
export const VOCABULARIES: Readonly<Record<string, Vocabulary>> = {
  en: {
    last: 'last|past|previous',
    since: 'since',
    to: 'to|until|till|through',
    between: 'between',
    and: 'and',
    from: 'from',
    fillers: 'the|in|on|of|at|over',
    units: { quarter: 'quarter', quarters: 'quarter' },
  },
  de: {
    last: 'letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?',
    since: 'seit|ab',
    to: 'bis(?: zum)?',
    between: 'zwischen',
    and: 'und',
    from: 'vom?',
    fillers: 'der|die|das|dem|den|am|im|in|um',
    units: { quartal: 'quarter', quartale: 'quarter', quartalen: 'quarter' },
  },
  es: {
    last: '[uú]ltim[oa]s?|pasad[oa]s?',
    since: 'desde',
    to: 'al?|hasta',
    between: 'entre',
    and: 'y|e',
    from: 'del?|desde',
    fillers: 'el|la|los|las|en|de|del',
    units: { trimestre: 'quarter', trimestres: 'quarter' },
  },
  fi: {
    last: 'viimeiset|viimeisten|viimeinen|viime',
    since: 'alkaen',
    to: 'asti',
    between: 'välillä',
    and: 'ja',
    from: 'alkaen',
    fillers: 'klo',
  },
  fr: {
    last: 'derni[eè]re?s?|pass[eé]e?s?',
    since: 'depuis',
    to: 'au|[aà]|jusqu.(?:au|[aà])',
    between: 'entre',
    and: 'et',
    from: 'du|de',
    fillers: 'les?|la|en|au|[aà]|de|du|ces',
    units: { trimestre: 'quarter', trimestres: 'quarter' },
  },
  it: {
    last: 'ultim[aeio]|scors[aeio]|passat[aeio]',
    since: 'da|dal',
    to: 'al?|fino al?',
    between: 'tra|fra',
    and: 'e',
    from: 'dal?',
    fillers: 'il|lo|la|i|gli|le|in|il|di|del|alle|negli|nelle',
    units: { trimestre: 'quarter', trimestri: 'quarter' },
  },
  ja: {
    last: '過去|直近|最近|ここ',
    since: '~',
    onward: 'から|以降|以来',
    to: 'から',
    between: '~',
    and: 'と',
    from: '~',
    fillers: 'の|に',
  },
  nl: {
    last: 'laatste|afgelopen|vorige',
    since: 'sinds|vanaf',
    to: 'tot(?: en met)?|t/m',
    between: 'tussen',
    and: 'en',
    from: 'van',
    fillers: 'de|het|in|op|om',
    units: { kwartaal: 'quarter', kwartalen: 'quarter' },
  },
  pt: {
    last: '[uú]ltim[oa]s?|passad[oa]s?',
    since: 'desde',
    to: 'ao?|at[eé]',
    between: 'entre',
    and: 'e',
    from: 'de|do|desde',
    fillers: 'os?|as?|em|nos?|nas?|de|do|[aà]s',
    units: { trimestre: 'quarter', trimestres: 'quarter' },
  },
  ru: {
    last: 'последн(?:ие|их|яя|ий|юю)|прошл(?:ый|ая|ую|ые)',
    since: 'со?',
    to: 'по|до',
    between: 'между',
    and: 'и',
    from: 'со?',
    fillers: 'за|в',
  },
  sv: {
    last: 'senaste|sista|förra',
    since: 'sedan',
    to: 'till',
    between: 'mellan',
    and: 'och',
    from: 'från',
    fillers: 'den?|det|kl',
  },
  uk: {
    last: 'останн(?:і|іх|я|ій)|минул(?:ий|а|у|і)',
    since: 'з|від',
    to: 'по|до',
    between: 'між',
    and: 'та|і|й',
    from: 'з|від',
    fillers: 'за|в',
  },
};
