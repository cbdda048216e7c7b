import { DAY_MS } from '#core/time/span.ts';
import type { Random } from './random.ts';
import { LANGS, type Lang } from './texts.ts';

/** An invented account of the sample: two words and a number. */
export interface SampleAuthor {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly verified: boolean;
  /** Epoch ms. */
  readonly createdAt: number;
}

const FIRST = (
  'amber autumn azure birch brisk bronze calm cedar cloudy cobalt copper coral cosy crisp dusty early ' +
  'ember faded fern foggy frosty gentle golden green hazel hidden indigo ivory jade juniper late lemon ' +
  'linen little lunar maple mellow mild minty misty mossy muddy navy northern nutty olive opal orange ' +
  'pale paper pebble plum polar quiet rainy rapid ruby rusty salty sandy scarlet shady silent silver ' +
  'sleepy slow smoky snowy soft solar spiced spring sunny swift tidal tiny topaz velvet violet warm ' +
  'wild windy winter woolly'
).split(' ') as [string, ...string[]];

const SECOND = (
  'acorn anchor badger barn beacon bean bike biscuit boot brook canoe castle cherry cloud comet compass ' +
  'crane cricket daisy dune falcon fiddle finch fox garden gecko goose harbor heron hill kettle kite ' +
  'lake lamp lark ledger lily lynx magpie meadow mill moth needle nest newt oak otter owl panda pear ' +
  'pier pine pixel pond poppy quill rabbit raven reef robin rocket sail seal shed sparrow spoon squid ' +
  'stone stork stove swan tandem teapot thistle toast train tulip turnip turtle vole wagon walnut ' +
  'waffle willow wren yarn zebra'
).split(' ') as [string, ...string[]];

/** Number of accounts of each language. */
const COUNTS: Readonly<Record<Lang, number>> = {
  en: 1900,
  de: 620,
  es: 380,
  fr: 330,
  ja: 260,
  pt: 240,
};

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Makes the accounts of a sample that begins at `start` (epoch ms), with unique usernames. */
export function makeAuthors(
  random: Random,
  start: number,
): Readonly<Record<Lang, readonly SampleAuthor[]>> {
  const taken = new Set<string>();
  const authors: Record<Lang, SampleAuthor[]> = { en: [], de: [], es: [], fr: [], ja: [], pt: [] };
  let id = 2_100_000_000;
  for (const lang of LANGS) {
    while (authors[lang].length < COUNTS[lang]) {
      const first = random.pick(FIRST);
      const second = random.pick(SECOND);
      const number = random.chance(0.6) ? String(random.below(90) + 10) : '';
      const username = `${first}${random.chance(0.4) ? '_' : ''}${second}${number}`;
      if (username.length > 15 || taken.has(username)) continue;
      taken.add(username);
      id += 1 + random.below(1_400_000);
      authors[lang].push({
        id: String(id),
        username,
        name: `${capital(first)} ${capital(second)}`,
        verified: random.chance(0.03),
        createdAt: start - Math.floor(random.next() * 2500 * DAY_MS) - DAY_MS,
      });
    }
  }
  return authors;
}
