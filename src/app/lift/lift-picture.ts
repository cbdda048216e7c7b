import type { Curve } from '#core/series/series.ts';
import { bucketsIn } from '#core/series/window.ts';
import type { LiftScope } from './lift-scope.ts';
import type { LiftDot, LiftFigure } from '#core/lift/lift-figure.ts';

/** The kinds of dots: an earlier window, one just before the campaign, the campaign, one after it, another topic in its time. */
export type DotKind = 'earlier' | 'before' | 'campaign' | 'after' | 'topic';

/** Radii of dots, px. */
export const WINDOW_PX: Readonly<Record<DotKind, number>> = {
  earlier: 2.2,
  before: 2.4,
  campaign: 5,
  after: 2.4,
  topic: 3.4,
};

/** A window of the strip. */
export interface LiftWindow extends LiftDot {
  readonly kind: DotKind;
  /** Name of another topic; empty for the windows of the topic. */
  readonly name: string;
  /** Colour of another topic, 1 to 8; null for the windows of the topic. */
  readonly colour: number | null;
}

/** Another topic of the board in the time of the campaign, by the same method and without a control. */
export interface TopicDot {
  readonly name: string;
  /** 1 to 8. */
  readonly colour: number;
  /** θ − centre, as in {@link LiftDot}. */
  readonly value: number;
}

/** The lift that a picture shows. */
export interface PicturedLift {
  readonly figure: LiftFigure;
  /** Of the topic, in the buckets of the scope. */
  readonly curve: Curve;
  readonly scope: LiftScope;
  readonly topics: readonly TopicDot[];
}

/** A dot of the strip, px. */
export interface PlacedDot extends Pick<LiftWindow, 'kind' | 'name' | 'colour'> {
  readonly x: number;
  readonly y: number;
  /** Start of its window, epoch ms. */
  readonly start: number;
  /** 0.38 for +38 %. */
  readonly lift: number;
}

/** The picture of a lift: the curve around the campaign, and the strip of windows under it; px, as in SVG. */
export interface LiftPicture {
  readonly width: number;
  readonly height: number;
  /** The plot of the curve, from the top on. */
  readonly plot: { readonly left: number; readonly right: number; readonly bottom: number };
  readonly curve: string;
  readonly campaign: { readonly x: number; readonly width: number };
  /** The curve without the campaign, and the outline of its band. */
  readonly without: { readonly line: string; readonly band: string };
  /** The most Posts of a bucket, at the top of the plot. */
  readonly top: number;
  /** First and last instant of the curve, epoch ms. */
  readonly from: number;
  readonly to: number;
  readonly dots: readonly PlacedDot[];
  /** Sizes on the axis of the strip. */
  readonly ticks: readonly Tick[];
  /** The sizes that chance alone explains. */
  readonly chance: { readonly x: number; readonly width: number };
  readonly axis: number;
}

/** Height of the plot in a drawer, px. */
const PLOT_PX = 120;
const GAP_PX = 14;
const STRIP_PX = 64;
const TICKS_PX = 16;
/** Between two dots. */
const STEP_PX = 5;
const EDGE_PX = 6;
/** Buckets drawn before the campaign, in its lengths, and the fewest of them. */
const BEFORE = { lengths: 2, least: 14 };
/** The least distance between two ticks, so that there is room for their words, px. */
const TICK_PX = 44;
/** Sizes that an axis may have. */
const TICKS = [-0.9, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 1, 2, 4, 9, 19, 49, 99];

const at = (x: number, y: number): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
const lineOf = (points: readonly string[]): string =>
  points.length === 0 ? '' : `M${points.join('L')}`;

/** Stacks dots around the middle of the strip so that none covers another, as far as there is room. */
function stacked(dots: readonly Omit<PlacedDot, 'y'>[], middle: number): PlacedDot[] {
  const last = new Map<number, number>();
  return dots
    .toSorted((a, b) => a.x - b.x)
    .map((dot) => {
      const levels = Math.floor(STRIP_PX / STEP_PX);
      let level = 0;
      while (level < levels - 1 && (last.get(level) ?? -Infinity) + STEP_PX > dot.x) level += 1;
      last.set(level, dot.x);
      const side = level % 2 === 0 ? 1 : -1;
      return { ...dot, y: middle + side * Math.ceil(level / 2) * (STEP_PX - 0.5) };
    });
}

interface Tick {
  readonly x: number;
  readonly lift: number;
}

/** Ticks far enough apart for their words; that of 0 stays. */
function apart(ticks: readonly Tick[]): readonly Tick[] {
  return ticks.reduce<readonly Tick[]>((all, tick) => {
    const isFree = tick.x - (all.at(-1)?.x ?? -Infinity) >= TICK_PX;
    if (tick.lift === 0) return [...all.filter(({ x }) => tick.x - x >= TICK_PX), tick];
    return isFree ? [...all, tick] : all;
  }, []);
}

/** Every window that has a dot: the earlier ones, those around the campaign and itself in order of time, the other topics. */
export function liftWindows({
  figure,
  scope,
  topics,
}: Omit<PicturedLift, 'curve'>): readonly LiftWindow[] {
  const { start } = scope.campaign;
  const { earlier, around, value } = figure;
  const some = (kind: DotKind, dots: readonly (LiftDot | null)[]): LiftWindow[] =>
    dots.flatMap((dot) => (dot ? [{ kind, name: '', colour: null, ...dot }] : []));
  return [
    ...some('earlier', earlier),
    ...some('before', around.before),
    ...some('campaign', [{ start, value }]),
    ...some('after', around.after),
    ...topics.map((topic) => ({ kind: 'topic' as const, start, ...topic })),
  ];
}

/** Height of a picture whose plot is `plot` px high, px. */
export const pictureHeight = (plot: number): number => plot + GAP_PX + STRIP_PX + TICKS_PX;

/**
 * Lays out the picture of a lift.
 *
 * @param width - Of the whole picture, px.
 * @param plot - Height of the curve's plot, px.
 */
export function liftPicture(
  { figure, curve, scope, topics }: PicturedLift,
  width: number,
  plot = PLOT_PX,
): LiftPicture {
  const { bounds, counts } = curve;
  const { length, without } = figure;
  const { campaign } = scope;
  const window = bucketsIn(bounds, campaign.start, campaign.end);
  const first = Math.max(0, window.first - Math.max(BEFORE.least, BEFORE.lengths * length));
  const end = Math.min(counts.length, window.end + length);
  const [left, right] = [EDGE_PX, width - EDGE_PX];
  const from = bounds[first] ?? 0;
  const to = bounds[end] ?? from + 1;
  const x = (instant: number): number => left + ((instant - from) / (to - from)) * (right - left);
  const middle = (i: number): number => x(((bounds[i] ?? 0) + (bounds[i + 1] ?? 0)) / 2);
  const shown = counts.slice(first, end);
  const top = Math.max(1, ...[...shown, ...without.high].filter((count) => !Number.isNaN(count)));
  const y = (count: number): number => plot - (count / top) * (plot - EDGE_PX);
  const points = Array.from(shown, (count, i) =>
    Number.isNaN(count) ? '' : at(middle(first + i), y(count)),
  );
  const along = (values: Float64Array): string[] =>
    Array.from(values, (value, i) => at(middle(window.first + i), y(value)));

  const axis = plot + GAP_PX + STRIP_PX;
  const all = liftWindows({ figure, scope, topics });
  // From as small to as large as any window, and both sides of 0.
  const values = all.map(({ value }) => value);
  const low = Math.min(-Math.log(1.3), ...values);
  const high = Math.max(Math.log(1.3), ...values);
  const place = (value: number): number =>
    left + EDGE_PX + ((value - low) / (high - low)) * (right - left - 2 * EDGE_PX);
  const dots = all.map(({ kind, name, colour, start, value }) => ({
    kind,
    name,
    colour,
    x: place(value),
    start,
    lift: Math.expm1(value),
  }));
  const { band, value } = figure;
  // θ* − q for the two ends of the band: q are the values between which chance leaves it.
  const chanceLow = value - Math.log1p(band.high);
  const chanceHigh = value - Math.log1p(band.low);
  const [lowX, highX] = [place(Math.max(low, chanceLow)), place(Math.min(high, chanceHigh))];
  return {
    width,
    height: pictureHeight(plot),
    plot: { left, right, bottom: plot },
    curve: lineOf(points.filter((point) => point !== '')),
    campaign: { x: x(campaign.start), width: x(Math.min(to, campaign.end)) - x(campaign.start) },
    without: {
      line: lineOf(along(without.expected)),
      band: `${lineOf([...along(without.high), ...along(without.low).toReversed()])}Z`,
    },
    top,
    from,
    to,
    dots: stacked(dots, plot + GAP_PX + STRIP_PX / 2),
    ticks: apart(
      TICKS.filter((lift) => Math.log1p(lift) >= low && Math.log1p(lift) <= high).map((lift) => ({
        x: place(Math.log1p(lift)),
        lift,
      })),
    ),
    chance: { x: lowX, width: Math.max(1, highX - lowX) },
    axis,
  };
}
