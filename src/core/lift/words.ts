import { formatNumber } from '#core/format/number-text.ts';
import { nounFor } from '#core/format/plural.ts';
import { LEAST_WINDOWS, type LiftLevel } from './claim.ts';
import { LEAST_USUAL } from './window-comparison.ts';
import type {
  LiftBand,
  LiftFigure,
  LiftMeasure,
  LiftPlan,
  LiftRefusal,
  LiftSide,
} from './lift-figure.ts';
import type { LiftUnit } from './lift-input.ts';

/** The manner of the sentences about a lift. */
export interface LiftWords {
  /** BCP 47; by default the engine's. */
  readonly locale?: string;
  /** The things that are counted. */
  readonly noun: 'Post' | 'account';
  /** Names of the campaigns in the time before it; absent if they are not known. */
  readonly before?: readonly string[];
}

/** The sentences about a lift, for a page, a slide, paper or a sheet. */
export interface LiftText {
  /** Its size without a sign: `up 38%`; null if the band includes 0. */
  readonly change: string | null;
  /** Its rank, size and band, and its Posts if the band excludes 0. */
  readonly headline: string;
  /** Null if the band excludes 0. */
  readonly chance: string | null;
  /** The windows compared, and the band at 95 % where that may be claimed. */
  readonly method: string;
  readonly everyday: string;
  /** The different accounts; null if the source does not say how many there were. */
  readonly accounts: string | null;
  readonly backTest: string;
  /** The use of the control, and the campaign's own Posts in it; null without a control. */
  readonly control: string | null;
}

const OF_TEN: Readonly<Record<LiftLevel, string>> = {
  95: '95 of 100',
  90: 'nine of ten',
  80: 'eight of ten',
};

/** Digits behind the decimal sign that a percentage gets at most, so that it differs from another one. */
const MAX_DECIMALS = 15;

/** True if a band says that there was a change. */
const excludesZero = ({ low, high }: LiftBand): boolean => low > 0 || high < 0;

/**
 * A percentage with its sign: `+38%`, `+1,240%`. Whole, unless rounding would make it equal to a number that it is
 * compared with: a band that excludes 0 never ends at `0%`.
 */
function signed(value: number, others: readonly number[], locale: string | undefined): string {
  const text = (of: number, decimals: number): string =>
    formatNumber(of, locale, {
      style: 'percent',
      signDisplay: 'exceptZero',
      maximumFractionDigits: decimals,
    });
  for (let decimals = 0; decimals < MAX_DECIMALS; decimals += 1) {
    const written = text(value, decimals);
    const isEqual = (other: number): boolean =>
      other !== value && text(other, decimals) === written;
    if (!others.some(isEqual)) return written;
  }
  return text(value, MAX_DECIMALS);
}

/** `42%`. */
const share = (value: number, locale: string | undefined): string =>
  formatNumber(value, locale, { style: 'percent', maximumFractionDigits: 0 });

/** `51 earlier weeks`, `25 earlier windows of 14 days`. */
function earlierWindows(count: number, length: number, unit: LiftUnit, locale?: string): string {
  const number = formatNumber(count, locale);
  if (unit === 'day' && length === 7) return `${number} earlier ${nounFor(count, 'week')}`;
  return `${number} earlier ${nounFor(count, 'window')} of ${length} ${nounFor(length, unit)}`;
}

/** A length of time in the largest unit that is not too coarse: `6 more weeks`, `12 more days`. */
function moreTime(buckets: number, unit: LiftUnit): string {
  const days = unit === 'day' ? buckets : Math.ceil(buckets / 24);
  const [size, name] =
    unit === 'hour' && buckets < 48
      ? [buckets, 'hour']
      : days < 14
        ? [days, 'day']
        : [Math.ceil(days / 7), 'week'];
  return `${size} more ${nounFor(size, name)}`;
}

/** `about 4,100 additional Posts`: two digits, because the band allows no more. */
function additionalText(additional: number, { locale, noun }: LiftWords): string {
  const kind = additional > 0 ? 'additional' : 'fewer';
  const size = Math.abs(additional);
  if (size < 1) return `less than one ${kind} ${noun}`;
  const rounded = Number(size.toPrecision(2));
  return `about ${formatNumber(rounded, locale, { maximumFractionDigits: 0 })} ${kind} ${nounFor(Math.round(rounded), noun)}`;
}

/** `nine of ten: +6% to +84%`. */
function bandText({ level, low, high }: LiftBand, locale: string | undefined): string {
  return `${OF_TEN[level]}: ${signed(low, [0], locale)} to ${signed(high, [0], locale)}`;
}

/** `+38% (nine of ten: +6% to +84%)`. */
const sizeText = ({ lift, visible, band }: LiftMeasure, locale: string | undefined): string =>
  `${signed(lift, [0, visible], locale)} (${bandText(band, locale)})`;

/** `up 38%`, `down less than 1%`. */
function changeText(lift: number, locale: string | undefined): string {
  const size = Math.abs(lift);
  const text = size < 0.01 ? `less than ${share(0.01, locale)}` : share(size, locale);
  return `${lift < 0 ? 'down' : 'up'} ${text}`;
}

const CHANCE = 'Chance alone could explain this.';

function sideText(name: string, side: LiftSide, words: LiftWords): string {
  if (side.kind === 'refusal') return `${name}: ${reasonOf(side, words)}.`;
  const size = `${name}: ${sizeText(side, words.locale)}`;
  if (!excludesZero(side.band)) return `${size}. ${CHANCE}`;
  return words.noun === 'account'
    ? `${size}, ${additionalText(side.additional, words)}.`
    : `${size}.`;
}

function controlText({ control, contamination }: LiftFigure, { locale }: LiftWords): string | null {
  if (!control) return null;
  const used = `The control explains ${share(control.explained, locale)} of earlier swings.`;
  if (contamination?.verdict !== 'warned') return used;
  return `${used} ${share(contamination.share, locale)} of its Posts are the campaign’s own, which hides a part of the lift.`;
}

/** The sentences about a lift. They say a change exactly where its band excludes 0. */
export function liftText(figure: LiftFigure, words: LiftWords): LiftText {
  const { locale } = words;
  const { unit, length, rank, value, band, strict, lift, visible, backTest } = figure;
  const windows = (count: number): string => earlierWindows(count, length, unit, locale);
  const isClear = excludesZero(band);
  const rise = value >= 0;
  const place = `${rise ? 'Larger' : 'Smaller'} than ${formatNumber(rise ? rank.larger : rank.smaller, locale)} of ${windows(rank.of)}.`;
  const posts = isClear ? `, ${additionalText(figure.additional, words)}` : '';
  const all = formatNumber(figure.earlier.length, locale);
  const at95 = strict ? ` In ${bandText(strict, locale)}.` : '';
  const changed = backTest.changed === 0 ? 'none' : formatNumber(backTest.changed, locale);
  return {
    change: isClear ? changeText(lift, locale) : null,
    headline: `${place} ${sizeText(figure, locale)}${posts}.`,
    chance: isClear
      ? null
      : `${CHANCE} It would have had to reach ${signed(visible, [lift], locale)}.`,
    method: `Compared with the windows of this length that begin at any of ${all} earlier ${nounFor(figure.earlier.length, unit)}, ${formatNumber(rank.of, locale)} of them separate.${at95}`,
    everyday: sideText('Everyday level', figure.everyday, words),
    accounts:
      figure.accounts &&
      sideText('Different accounts', figure.accounts, { ...words, noun: 'account' }),
    backTest: `On your ${windows(backTest.windows)}, each compared with those that do not overlap it, this method would have reported a change in ${changed}.`,
    control: controlText(figure, words),
  };
}

/** The size that a campaign must have to be seen. */
function planText({ visible, planned }: LiftPlan, locale: string | undefined): string {
  return `Chance alone explains up to ${signed(visible, [0], locale)}. Plan for ${signed(planned, [visible], locale)}: a lift of that size is found four times in five.`;
}

/** `3 days of the campaign`, `3 days before the campaign`. */
const bucketsOf = (buckets: number, unit: LiftUnit, place: 'campaign' | 'before'): string =>
  `${buckets} ${nounFor(buckets, unit)} ${place === 'campaign' ? 'of' : 'before'} the campaign`;

/** Names in quotes, then other words, the last of all after “and”. */
export function quotedNames(names: readonly string[], more: readonly string[] = []): string {
  const quoted = names.map((name) => `“${name}”`);
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format([...quoted, ...more]);
}

/** Names the first two campaigns that fill a time, so that the user can remove or end them. */
function crowdText(names: readonly string[]): string {
  if (names.length === 0) return 'other campaigns fill the time before it';
  const more = names.length - 2;
  const rest = more > 0 ? [`${more} other ${nounFor(more, 'campaign')}`] : [];
  const verb = names.length === 1 ? 'fills' : 'fill';
  return `${quotedNames(names.slice(0, 2), rest)} ${verb} the time before it`;
}

/** The reason of a refusal, without a full stop. */
function reasonOf(refusal: LiftRefusal, words: LiftWords): string {
  const { unit } = refusal;
  const { locale, noun } = words;
  switch (refusal.why) {
    case 'future':
      return 'the campaign has not begun';
    case 'running':
      return 'the campaign has not ended';
    case 'missing':
    case 'provisional': {
      const of = refusal.of === 'control' ? 'the control’s counts' : 'the counts';
      const fault = refusal.why === 'missing' ? 'are missing' : 'may still change';
      return `${of} for ${bucketsOf(refusal.buckets, unit, refusal.place)} ${fault}`;
    }
    case 'uncovered':
      return 'the source has no counts from before the campaign';
    case 'crowded':
      return crowdText(words.before ?? []);
    case 'seam':
      return 'the platform changed its index during the campaign or in the time before it';
    case 'contaminated':
      return `${share(refusal.share, locale)} of the control’s Posts are the campaign’s own`;
    case 'few-posts': {
      const usual = formatNumber(Math.floor(refusal.usual), locale);
      const whose = refusal.of === 'control' ? 'the control usually has' : 'there are usually';
      return `${whose} only ${usual} ${nounFor(Math.floor(refusal.usual), noun)} in a time of this length, and ${LEAST_USUAL} are needed`;
    }
    case 'few-windows': {
      const { windows, more } = refusal;
      const few = `only ${windows} of ${LEAST_WINDOWS[80]} separate earlier windows can be compared`;
      return more === null
        ? `${few}, because the others are too quiet, incomplete or in another campaign`
        : `${few}; it needs ${moreTime(more, unit)}`;
    }
    case 'too-long':
      return `${unit === 'day' ? 'two years hold' : 'a month holds'} too few windows as long as the campaign, which can have at most ${refusal.longest} ${unit}s`;
  }
}

/** The sentences that are shown in place of a figure: the reason and, before a campaign, the size to plan for. */
export function liftRefusalText(refusal: LiftRefusal, words: LiftWords): string {
  const reason = `No figure: ${reasonOf(refusal, words)}.`;
  return refusal.why === 'future' ? `${reason} ${planText(refusal.plan, words.locale)}` : reason;
}
