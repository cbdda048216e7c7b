import type { Campaign, ChosenControl } from '#app/counts/cache/saved-board.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { formatNumber } from '#core/format/number-text.ts';
import { liftText, quotedNames, type LiftText } from '#core/lift/words.ts';
import type { Span } from '#core/time/span.ts';
import { isoLocal } from '#core/time/zone.ts';
import type { PicturedLift } from './lift-picture.ts';
import type { LiftMeasure } from '#core/lift/lift-figure.ts';

/** A lift and all that a page, paper or a file says about it: each shows these words and numbers, and no others. */
export interface LiftReport extends PicturedLift {
  /** Name, time and cost of the campaign, as entered. */
  readonly campaign: { readonly name: string } & Span & Pick<Campaign, 'spend' | 'currency'>;
  /** Names of the campaigns that ran at the same time. */
  readonly together: readonly string[];
  /** Name, query and colour (1 to 8) of the topic. */
  readonly topic: { readonly name: string; readonly query: string; readonly colour: number };
  /** Those whose counts correct it; none for no control. */
  readonly controls: readonly { readonly name: string; readonly query: string }[];
  /** When they were chosen, and how often changed after the end; null if none were. */
  readonly chosen: Pick<ChosenControl, 'chosen' | 'changes'> | null;
  readonly source: SourceId;
  /** The source as files and paper name it. */
  readonly sourceWords: string;
  /** Epoch ms. */
  readonly now: number;
  /** BCP 47; absent for that of the browser. */
  readonly locale: string | undefined;
}

/** The sentences about a lift, for every place that has them. */
export function reportText({ figure, locale }: Pick<LiftReport, 'figure' | 'locale'>): LiftText {
  return liftText(figure, { noun: 'Post', ...(locale && { locale }) });
}

/** The sentences about what is measured next to the lift of all Posts, in every place in this order. */
export function sideTexts({ everyday, accounts }: LiftText): readonly string[] {
  return accounts === null ? [everyday] : [everyday, accounts];
}

/** The cost of one additional Post with its band; empty unless a rise exceeds chance and the spend is known. */
export function costText(
  { figure, campaign }: Pick<LiftReport, 'figure' | 'campaign'>,
  format: Formatter,
): string {
  const { spend, currency } = campaign;
  const { low, high } = figure.band.additional;
  if (spend === null || figure.band.low <= 0 || low < 1) return '';
  const price = (posts: number): string => format.estimate(spend / posts, currency);
  return `An additional Post cost about ${price(figure.additional)} (${price(high)} to ${price(low)}).`;
}

/** The sentence about other campaigns of the time; empty if there were none. */
export function togetherText({ together }: Pick<LiftReport, 'together'>): string {
  if (together.length === 0) return '';
  return `${quotedNames(together)} ran at the same time: the lift is that of all of them.`;
}

/** The names of the control, for a place without the list of choices; empty without a control. */
export function controlText({ controls }: Pick<LiftReport, 'controls'>): string {
  return controls.length === 0 ? '' : `Control: ${controls.map(({ name }) => name).join(', ')}.`;
}

/** The sentence about when the control was chosen; empty without a control. */
export function chosenText(
  { chosen, campaign, scope }: Pick<LiftReport, 'chosen' | 'campaign' | 'scope'>,
  format: Formatter,
): string {
  if (!chosen) return '';
  const when = `Control chosen ${format.moment(chosen.chosen, scope.table.zone)}`;
  const early = chosen.chosen < campaign.end ? ', before the campaign had ended' : '';
  const times = chosen.changes === 1 ? 'once' : `${chosen.changes} times`;
  const changed = chosen.changes > 0 ? `, changed ${times} after the campaign had ended` : '';
  return `${when}${early}${changed}.`;
}

/** `+38%`, for a lift of 0.38. */
export const sizeText = (lift: number, locale: string | undefined): string =>
  formatNumber(lift, locale, {
    style: 'percent',
    signDisplay: 'exceptZero',
    maximumFractionDigits: 0,
  });

/** A tick of the strip. */
export const tickText = (lift: number, locale: string | undefined): string =>
  lift === 0 ? 'as usual' : sizeText(lift, locale);

/** The sentence that explains the curves and dots of the picture. */
export function pictureText({ topics }: Pick<LiftReport, 'topics'>): string {
  const hollow =
    topics.length > 0
      ? `, and in colour ${topics.map(({ name }) => name).join(', ')} in its time`
      : '';
  return `The dashed curve is what to expect without the campaign. Each dot is an earlier time of its length${hollow}; the grey ground is what chance alone explains.`;
}

/** A number about a lift: a change (0.38 for +38%), a part of 1, whole, any, or an instant in epoch ms. */
export interface LiftNumber {
  readonly name: string;
  readonly value: number;
  readonly as: 'percent' | 'share' | 'count' | 'plain' | 'instant';
}

/** A fact about a lift. */
export type LiftFact = LiftNumber | { readonly name: string; readonly value: string };

const text = (name: string, value: string | null): LiftFact[] => (value ? [{ name, value }] : []);
const number = (name: string, value: number, as: LiftNumber['as']): LiftNumber => ({
  name,
  value,
  as,
});

/** The measures of a lift: the beginning of the names of their figures, and the names of what is counted. */
const MEASURES = {
  posts: { of: '', counted: 'Posts', additional: 'Additional Posts' },
  everyday: {
    of: 'Everyday: ',
    counted: 'Everyday: Posts',
    additional: 'Everyday: Additional Posts',
  },
  accounts: { of: 'Accounts: ', counted: 'Different accounts', additional: 'Additional accounts' },
} as const;

function measureFacts(name: keyof typeof MEASURES, measure: LiftMeasure): LiftNumber[] {
  const { of, counted, additional: more } = MEASURES[name];
  const { lift, posts, additional, band, strict, rank, visible, planned } = measure;
  const named = (name: string): string => `${of}${name}`;
  return [
    number(named('Lift'), lift, 'percent'),
    number(named('Band, level'), band.level / 100, 'share'),
    number(named('Band, low'), band.low, 'percent'),
    number(named('Band, high'), band.high, 'percent'),
    ...(strict
      ? [
          number(named('Band at 95%, low'), strict.low, 'percent'),
          number(named('Band at 95%, high'), strict.high, 'percent'),
        ]
      : []),
    number(named('Rank, larger than'), rank.larger, 'count'),
    number(named('Rank, smaller than'), rank.smaller, 'count'),
    number(named('Rank, of separate earlier windows'), rank.of, 'count'),
    number(counted, posts, 'plain'),
    number(more, additional, 'plain'),
    number(`${more}, low`, band.additional.low, 'plain'),
    number(`${more}, high`, band.additional.high, 'plain'),
    number(named('Smallest visible lift'), visible, 'percent'),
    number(named('Lift to plan for'), planned, 'percent'),
  ];
}

/** The figures of a lift; none of them is there unless it is known. */
export function liftFigures({ figure, controls, chosen }: LiftReport): readonly LiftFact[] {
  const { everyday, accounts, control, contamination } = figure;
  return [
    ...measureFacts('posts', figure),
    ...(everyday.kind === 'measure' ? measureFacts('everyday', everyday) : []),
    ...(accounts?.kind === 'measure' ? measureFacts('accounts', accounts) : []),
    ...(control
      ? [
          ...text('Control', controls.map(({ query }) => query).join('\n')),
          number('Control, weight', control.weight, 'plain'),
          number('Control, explained share of earlier swings', control.explained, 'share'),
        ]
      : []),
    ...(contamination
      ? [number('Control, share of the campaign’s own Posts', contamination.share, 'share')]
      : []),
    ...(chosen
      ? [
          number('Control chosen (UTC)', chosen.chosen, 'instant'),
          number('Control changed after the end, times', chosen.changes, 'count'),
        ]
      : []),
  ];
}

/** The campaign, the topic and the sentences of a lift. */
export function liftFacts(report: LiftReport, format: Formatter): readonly LiftFact[] {
  const { campaign, topic, scope, sourceWords, now } = report;
  const { zone } = scope.table;
  const { headline, chance, everyday, accounts, control, method, backTest } = reportText(report);
  return [
    ...text('Campaign', campaign.name),
    ...text('Time', format.span(campaign, zone)),
    number('Begins (UTC)', campaign.start, 'instant'),
    number('Ends (UTC), exclusive', campaign.end, 'instant'),
    ...text('Time zone', zone),
    ...text('Topic', topic.name),
    ...text('Query', topic.query),
    ...text('Source', sourceWords),
    number('Written (UTC)', now, 'instant'),
    ...text('Result', headline),
    ...text('Chance', chance),
    ...text('Other campaigns', togetherText(report)),
    ...text('Everyday level', everyday),
    ...text('Accounts', accounts),
    ...text('Cost', costText(report, format)),
    ...text('Use of the control', control),
    ...text('Method', method),
    ...text('Check', backTest),
    ...text('Choice of the control', chosenText(report, format)),
  ];
}

/** File name of a lift, without extension. */
export function liftFileName({ source, scope }: LiftReport): string {
  const day = (at: number): string => isoLocal(scope.table, at).slice(0, 10);
  return `groundswell_${source}_lift_${day(scope.campaign.start)}_${day(scope.campaign.end - 1)}`;
}
