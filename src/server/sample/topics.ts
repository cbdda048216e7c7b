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

/** A sudden rise planted in the sample. */
export interface PlantedBurst {
  /** Name of the topic; also the query that shows it. */
  readonly topic: string;
  readonly what: string;
  /** Its English texts about `{x}`, the topic's name. */
  readonly says: readonly [string, ...string[]];
  /** Epoch ms of its onset, at a whole hour. */
  readonly start: number;
  /** Approximate number of Posts it adds. */
  readonly posts: number;
  /** Hours after which it has fallen to half. */
  readonly halfLife: number;
}

/** Days before the end, UTC hour of onset, size and half-life of each burst, and its English texts. */
const PLANTED = [
  [
    ['oat milk', 'a café chain drops the surcharge', 640, 9, 210, 10],
    ['no more surcharge for {x} at my café chain', 'surcharge on {x} is gone, finally'],
  ],
  [
    ['matcha', 'news of a poor harvest', 96, 7, 380, 14],
    [
      'poor harvest this spring: {x} will be scarce',
      'farmers say the {x} harvest failed',
      'shops ration {x} after the poor harvest',
    ],
  ],
  [
    ['cold brew', 'a recall of canned cold brew', 418, 15, 240, 8],
    ['recall: do not drink the canned {x}', 'cans of {x} recalled in every supermarket'],
  ],
  [
    ['oat milk', 'a bakery chain bakes with nothing else', 203, 6, 160, 9],
    ['the bakery chain now bakes everything with {x}', 'croissants baked with {x}, all bakeries'],
  ],
  [
    ['cold brew', 'a first frost sale sells out', 31, 13, 170, 6],
    ['frost sale: {x} at half price today', 'the frost sale sold out of {x} by noon'],
  ],
  [
    ['Rovelle Rovers', 'the cup final', 182, 17, 520, 3],
    ['cup final! come on {x}', 'what a cup final, {x} on penalties'],
  ],
  [
    ['The Lantern Coast', 'the last episode leaks', 330, 21, 400, 5],
    ['the finale of {x} leaked, mute everything', 'no spoilers of the leaked {x} finale please'],
  ],
  [
    ['Nordvik Air', 'a computer failure grounds the fleet', 23, 5, 480, 7],
    ['{x} grounded, computers down everywhere', 'stranded: all {x} computers failed'],
  ],
  [
    ['Nordvik Air', 'a strike of the cabin crew', 505, 6, 300, 16],
    ['cabin crew of {x} on strike', 'strike at {x}, flights cancelled'],
  ],
  [
    ['Pebblo 5', 'the launch', 58, 17, 420, 4],
    ['{x} launch stream is on', 'they launched {x} and I want one'],
  ],
  [
    ['four day week', 'a trial publishes its results', 271, 8, 190, 12],
    ['results of the {x} trial are in', 'the trial of the {x} published its results'],
  ],
] as const;

/** The planted bursts of a sample that ends at `end` (epoch ms), oldest first. */
export function plantedBursts(end: number): PlantedBurst[] {
  const today = Math.floor(end / DAY_MS) * DAY_MS;
  return PLANTED.map(([[topic, what, days, hour, posts, halfLife], says]) => ({
    topic,
    what,
    says,
    start: today - days * DAY_MS + hour * HOUR_MS,
    posts,
    halfLife,
  })).sort((a, b) => a.start - b.start);
}

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

/** Posts that a burst adds in the hour that begins at `start`. */
export function burstRate(burst: PlantedBurst, start: number): number {
  const hours = (start - burst.start) / HOUR_MS;
  if (hours < 0 || hours > burst.halfLife * 8) return 0;
  const decay = 0.5 ** (1 / burst.halfLife);
  return burst.posts * (1 - decay) * decay ** hours;
}
