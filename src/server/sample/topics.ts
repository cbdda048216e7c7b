import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { LANGS, type TopicKind, type Lang } from './texts.ts';

/** A topic of Posts. Brands, clubs and shows are invented. */
export interface Topic {
  /** Its name, as a query finds it in English Posts. */
  readonly name: string;
  readonly kind: TopicKind;
  readonly tag: string;
  /** Account mentioned with it, or null. */
  readonly account: string | null;
  /** Names in languages with their own; otherwise `name`. */
  readonly names: Readonly<Partial<Record<Lang, string>>>;
  readonly weight: number;
  /** Share of each language. */
  readonly langs: Readonly<Partial<Record<Lang, number>>>;
  /** Growth from the first day (0) to the last (1). */
  readonly trend: (part: number) => number;
  /** By day of the year, 0 to 365. */
  readonly season: (day: number) => number;
  /** By local weekday, Sunday first. */
  readonly week: readonly number[];
  /** Extra factor by UTC weekday and hour: matches, episodes. */
  readonly event?: (weekday: number, hour: number, day: number) => number;
}

const FLAT = (): number => 1;
const EVEN = [1, 1, 1, 1, 1, 1, 1];
const WORKDAYS = [0.8, 1.1, 1.1, 1.1, 1.05, 1.05, 0.8];
const WEEKEND = [1.5, 0.8, 0.8, 0.85, 0.9, 1.1, 1.6];

function around(peak: number, width: number, height: number): (day: number) => number {
  return (day) => {
    const distance = Math.min(Math.abs(day - peak), 365 - Math.abs(day - peak));
    return 1 + height * Math.exp(-((distance / width) ** 2));
  };
}

const FOOTBALL = (day: number): number => (day > 150 && day < 215 ? 0.35 : 1);
const EPISODES = (day: number): number => (day > 270 && day < 340 ? 2.6 : 0.6);

export const TOPICS: readonly [Topic, ...Topic[]] = [
  {
    name: 'oat milk',
    kind: 'drink',
    tag: 'oatmilk',
    account: null,
    names: {
      de: 'Hafermilch',
      es: 'leche de avena',
      fr: 'lait d’avoine',
      ja: 'オーツミルク',
      pt: 'leite de aveia',
    },
    weight: 13,
    langs: { en: 0.6, de: 0.18, es: 0.08, fr: 0.06, ja: 0.03, pt: 0.05 },
    trend: (part) => 1.25 - 0.5 * part,
    season: around(20, 25, 0.5),
    week: WORKDAYS,
  },
  {
    name: 'matcha',
    kind: 'drink',
    tag: 'matcha',
    account: null,
    names: { ja: '抹茶' },
    weight: 13,
    langs: { en: 0.5, de: 0.1, es: 0.08, fr: 0.08, ja: 0.18, pt: 0.06 },
    trend: (part) => 0.3 + 1.6 * part * part,
    season: around(130, 60, 0.3),
    week: EVEN,
  },
  {
    name: 'cold brew',
    kind: 'drink',
    tag: 'coldbrew',
    account: null,
    names: { ja: '水出しコーヒー' },
    weight: 9,
    langs: { en: 0.75, de: 0.08, es: 0.06, fr: 0.03, ja: 0.05, pt: 0.03 },
    trend: FLAT,
    season: around(195, 55, 2.2),
    week: WORKDAYS,
  },
  {
    name: 'Rovelle Rovers',
    kind: 'club',
    tag: 'UpTheRovers',
    account: 'rovelle_rovers',
    names: {},
    weight: 15,
    langs: { en: 0.72, es: 0.1, de: 0.06, fr: 0.04, ja: 0.02, pt: 0.06 },
    trend: (part) => 0.9 + 0.2 * part,
    season: FOOTBALL,
    week: EVEN,
    event: (weekday, hour, day) => {
      if (FOOTBALL(day) < 1) return 1;
      if (weekday === 6 && hour >= 14 && hour <= 17) return 14;
      return weekday === 3 && hour >= 19 && hour <= 21 ? 5 : 1;
    },
  },
  {
    name: 'The Lantern Coast',
    kind: 'series',
    tag: 'LanternCoast',
    account: 'lanterncoast_tv',
    names: {},
    weight: 12,
    langs: { en: 0.55, es: 0.14, de: 0.1, fr: 0.08, ja: 0.05, pt: 0.08 },
    trend: (part) => 0.6 + 0.8 * part,
    season: EPISODES,
    week: EVEN,
    event: (weekday, hour, day) => {
      const tonight = weekday === 0 && hour >= 20 && hour <= 22;
      return tonight && EPISODES(day) > 1 ? 12 : 1;
    },
  },
  {
    name: 'Nordvik Air',
    kind: 'airline',
    tag: 'NordvikAir',
    account: 'nordvik_air',
    names: {},
    weight: 9,
    langs: { en: 0.5, de: 0.22, es: 0.1, fr: 0.1, ja: 0.02, pt: 0.06 },
    trend: (part) => 0.8 + 0.4 * part,
    season: around(205, 35, 0.8),
    week: [1.15, 1.05, 0.9, 0.9, 1, 1.25, 0.9],
  },
  {
    name: 'Pebblo 5',
    kind: 'phone',
    tag: 'Pebblo5',
    account: 'pebblo_phones',
    names: {},
    weight: 9,
    langs: { en: 0.5, de: 0.12, es: 0.12, fr: 0.08, ja: 0.1, pt: 0.08 },
    trend: (part) => 0.4 + 1.2 * part,
    season: around(262, 20, 2.5),
    week: WORKDAYS,
  },
  {
    name: 'Moonfield',
    kind: 'festival',
    tag: 'Moonfield',
    account: 'moonfield_fest',
    names: {},
    weight: 8,
    langs: { en: 0.62, de: 0.12, es: 0.1, fr: 0.08, ja: 0.03, pt: 0.05 },
    trend: (part) => 0.8 + 0.4 * part,
    season: around(173, 6, 18),
    week: WEEKEND,
  },
  {
    name: 'cargo bike',
    kind: 'life',
    tag: 'cargobike',
    account: null,
    names: {
      de: 'Lastenrad',
      es: 'bici de carga',
      fr: 'vélo cargo',
      ja: 'カーゴバイク',
      pt: 'bicicleta de carga',
    },
    weight: 6,
    langs: { en: 0.4, de: 0.35, es: 0.06, fr: 0.13, ja: 0.02, pt: 0.04 },
    trend: (part) => 0.6 + 0.9 * part,
    season: around(150, 70, 0.7),
    week: EVEN,
  },
  {
    name: 'four day week',
    kind: 'life',
    tag: '4dayweek',
    account: null,
    names: {
      de: 'Viertagewoche',
      es: 'semana de cuatro días',
      fr: 'semaine de quatre jours',
      ja: '週休3日',
      pt: 'semana de quatro dias',
    },
    weight: 6,
    langs: { en: 0.52, de: 0.2, es: 0.1, fr: 0.1, ja: 0.03, pt: 0.05 },
    trend: (part) => 0.8 + 0.5 * part,
    season: around(10, 20, 0.6),
    week: [0.4, 1.3, 1.2, 1.2, 1.2, 1.3, 0.4],
  },
];

/** Activity by local hour: asleep at four, busy at eight, noon and evening. */
const DAILY = [
  0.45, 0.28, 0.18, 0.13, 0.13, 0.22, 0.5, 0.95, 1.25, 1.2, 1.1, 1.1, 1.3, 1.25, 1.1, 1.05, 1.05,
  1.15, 1.3, 1.5, 1.7, 1.65, 1.3, 0.85,
];

/** Offset from UTC, in hours, of the typical author in this sample. */
const OFFSETS: Readonly<Record<Lang, number>> = { en: -3, de: 1, es: -1, fr: 1, ja: 9, pt: -3 };

/** Weekday (Sunday 0) and hour of an instant, by arithmetic, since a sample needs a million of them. */
function clock(instant: number): { weekday: number; hour: number } {
  return {
    weekday: (Math.floor(instant / DAY_MS) + 4) % 7,
    hour: Math.floor(instant / HOUR_MS) % 24,
  };
}

/**
 * Relative number of Posts in the hour that begins at `start`, without bursts, by topic and language:
 * topic by topic in the order of {@link TOPICS}, and within each the languages in the order of {@link
 * LANGS}.
 *
 * @param part - The part of the sample's time that has passed, 0 to 1.
 */
export function hourRates(start: number, part: number, into: Float64Array): void {
  const year = new Date(start).getUTCFullYear();
  const day = Math.floor((start - Date.UTC(year, 0, 1)) / DAY_MS);
  const utc = clock(start);
  const local = LANGS.map((lang) => clock(start + OFFSETS[lang] * HOUR_MS));
  let at = 0;
  for (const topic of TOPICS) {
    const event = topic.event?.(utc.weekday, utc.hour, day) ?? 1;
    const rate = topic.weight * topic.trend(part) * topic.season(day) * event;
    for (let i = 0; i < LANGS.length; i++) {
      const { weekday, hour } = local[i]!;
      const share = topic.langs[LANGS[i]!] ?? 0;
      into[at++] = rate * share * topic.week[weekday]! * DAILY[hour]!;
    }
  }
}
