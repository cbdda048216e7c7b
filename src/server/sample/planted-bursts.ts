import { DAY_MS, HOUR_MS } from '#core/time/span.ts';

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

/** Posts that a burst adds in the hour that begins at `start`. */
export function burstRate(burst: PlantedBurst, start: number): number {
  const hours = (start - burst.start) / HOUR_MS;
  if (hours < 0 || hours > burst.halfLife * 8) return 0;
  const decay = 0.5 ** (1 / burst.halfLife);
  return burst.posts * (1 - decay) * decay ** hours;
}
