/**
 * The words of a language around dates: what comes between two dates, before a number of days, and before a start. The
 * names of months, weekdays, units and of "yesterday" or "last month" come from `Intl`. All are parts of regular
 * expressions, in lower case.
 */
export interface DateVocabulary {
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
  /** Units that `Intl` names in another way, and what they are shortened to. */
  readonly units?: Readonly<Record<string, DateUnit>>;
  /** Steps of the calendar that `Intl` names in another way, or not at all. */
  readonly steps?: Readonly<Record<string, CalendarStep>>;
  readonly weekend: string;
}

/** Units of "the last 6 weeks". */
export type DateUnit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** A calendar unit at a number of steps from the current one: -1 and `week` for last week. */
export interface CalendarStep {
  readonly unit: Exclude<DateUnit, 'minute' | 'hour'>;
  readonly steps: number;
}

/**
 * By the language's code of two letters; exactly those that chrono-node reads as well. It does not replace them: it
 * has no word for "since", a quarter or a week of the year, and reads a point of time where a range is meant, such as
 * one day six weeks ago for "the last 6 weeks".
 */
export const VOCABULARIES: Readonly<Record<string, DateVocabulary>> = {
  en: {
    last: 'last|past|previous',
    since: 'since',
    to: 'to|until|till|through',
    between: 'between',
    and: 'and',
    from: 'from',
    fillers: 'the|in|on|of|at|over',
    units: {
      quarter: 'quarter',
      quarters: 'quarter',
      min: 'minute',
      mins: 'minute',
      h: 'hour',
      hr: 'hour',
      hrs: 'hour',
      d: 'day',
      w: 'week',
      wk: 'week',
      wks: 'week',
      y: 'year',
      yr: 'year',
      yrs: 'year',
    },
    steps: {
      'the day before yesterday': { unit: 'day', steps: -2 },
      'day before yesterday': { unit: 'day', steps: -2 },
      present: { unit: 'day', steps: 0 },
      'year to date': { unit: 'year', steps: 0 },
      ytd: { unit: 'year', steps: 0 },
      'quarter to date': { unit: 'quarter', steps: 0 },
      qtd: { unit: 'quarter', steps: 0 },
      'month to date': { unit: 'month', steps: 0 },
      mtd: { unit: 'month', steps: 0 },
    },
    weekend: 'weekend',
  },
  de: {
    last: 'letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?',
    since: 'seit|ab',
    to: 'bis(?: zum)?',
    between: 'zwischen',
    and: 'und',
    from: 'vom?',
    fillers: 'der|die|das|dem|den|am|im|in|um',
    units: { quartal: 'quarter', quartale: 'quarter', quartalen: 'quarter', kw: 'week' },
    weekend: 'wochenende',
  },
  es: {
    last: '[uú]ltim[oa]s?|pasad[oa]s?',
    since: 'desde',
    to: 'al?|hasta',
    between: 'entre',
    and: 'y|e',
    from: 'del?|desde',
    fillers: 'el|la|los|las|en|de|del',
    weekend: 'fin de semana',
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
    weekend: 'viikonloppu',
  },
  fr: {
    last: 'derni[eè]re?s?|pass[eé]e?s?',
    since: 'depuis',
    to: 'au|[aà]|jusqu.(?:au|[aà])',
    between: 'entre',
    and: 'et',
    from: 'du|de',
    fillers: 'les?|la|en|au|[aà]|de|du|ces',
    weekend: 'week-?end',
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
    weekend: 'fine settimana|weekend',
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
    units: { 四半期: 'quarter', 週: 'week' },
    steps: {
      去年: { unit: 'year', steps: -1 },
      先々週: { unit: 'week', steps: -2 },
      先々月: { unit: 'month', steps: -2 },
    },
    weekend: '週末',
  },
  nl: {
    last: 'laatste|afgelopen|vorige',
    since: 'sinds|vanaf',
    to: 'tot(?: en met)?|t/m',
    between: 'tussen',
    and: 'en',
    from: 'van',
    fillers: 'de|het|in|op|om',
    weekend: 'weekend|weekeinde',
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
    weekend: 'fim de semana',
    units: { trimestre: 'quarter', trimestres: 'quarter' },
  },
  ru: {
    last: 'последн(?:ие|их|яя|ий|юю)|прошл(?:ый|ая|ую|ые)',
    weekend: 'выходные',
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
    units: { dag: 'day', dagar: 'day' },
    weekend: 'helgen?',
  },
  uk: {
    last: 'останн(?:і|іх|я|ій)|минул(?:ий|а|у|і)',
    weekend: 'вихідні',
    since: 'з|від',
    to: 'по|до',
    between: 'між',
    and: 'та|і|й',
    from: 'з|від',
    fillers: 'за|в',
  },
};
