import type { CauseKind } from '#core/causes/causes.ts';

/** The place that a figure of a finding leads to: a cell of the summary table, or a peak. */
export type Lead =
  | {
      readonly to: 'row';
      readonly topic: number;
      readonly column: 'total' | 'change' | 'share';
    }
  | { readonly to: 'peak'; readonly key: string };

/** A part of a sentence: plain text, or a figure with the place it leads to. */
export type FindingPart = string | { readonly text: string; readonly lead: Lead };

/** The finding of a board: one sentence and one line of evidence. */
export interface Finding {
  /** The rule that found it. */
  readonly rule: 'change' | 'leader' | 'peak' | 'none';
  /** Without a full stop: it is a heading. */
  readonly sentence: readonly FindingPart[];
  readonly evidence: readonly FindingPart[];
}

/** The change of a topic from the compared period. */
export interface ChangeFigures {
  /** 0.28 for 28 % more; Infinity if there was nothing before. */
  readonly value: number;
  /** The value as on the page: `+28.0 %`, or its counts. */
  readonly text: string;
  /** Both counts, if too few Posts came before for a percentage: `3 to 1,832`; else empty. */
  readonly counts: string;
  /** The same without a sign: `28.0 %`. */
  readonly size: string;
  /** Both ends of its margin: `+21.3 %`, `+35.1 %`. */
  readonly margin: readonly [low: string, high: string];
  /** True if it exceeds its margin. */
  readonly clear: boolean;
  /** True if its margin contains no change at all. */
  readonly unchanged: boolean;
  /** Posts per time in the compared period. */
  readonly before: number;
}

/** The share of a topic among all of them. */
export interface ShareFigures {
  /** Both ends of its margin, 0 to 1; NaN if unknown. */
  readonly low: number;
  readonly high: number;
  readonly text: string;
}

/** The figures of a topic, as in its row of the summary table. */
export interface TopicFigures {
  readonly id: number;
  readonly name: string;
  /** False while one of its figures loads, or if part of the time is missing or not covered. */
  readonly complete: boolean;
  readonly total: { readonly value: number; readonly text: string };
  /** Null if there is none. */
  readonly change: ChangeFigures | null;
  readonly share: ShareFigures | null;
}

/** A peak, as in the list of peaks. */
export interface PeakFigures {
  readonly key: string;
  readonly topic: number;
  readonly when: string;
  /** Its Posts, `6,320 Posts`. */
  readonly posts: string;
  /** The multiple of the usual, `2.1×`; empty if next to none is usual. */
  readonly times: string;
  /** Its first cause; null while it is unknown, and if none is clear. */
  readonly cause: CauseFigures | null;
}

/** The first cause of a peak, as in the drawer. */
export interface CauseFigures {
  readonly kind: CauseKind;
  readonly name: string;
  /** Its share of the Posts: `62%`. */
  readonly share: string;
  /** The Posts that were read, `500 Posts`; empty if these are all. */
  readonly read: string;
}

/** The figures that a page shows. */
export interface FindingFigures {
  /** The visible topics. */
  readonly topics: readonly TopicFigures[];
  /** The largest first; null while they are being found. */
  readonly peaks: readonly PeakFigures[] | null;
  /** The compared period: `the year before`. */
  readonly against: string;
}

type Changed = TopicFigures & { readonly change: ChangeFigures };

const hasChange = (topic: TopicFigures): topic is Changed => topic.change !== null;

const total = ({ id, total: { text } }: TopicFigures): FindingPart => ({
  text,
  lead: { to: 'row', topic: id, column: 'total' },
});

const share = ({ id }: TopicFigures, { text }: ShareFigures): FindingPart => ({
  text,
  lead: { to: 'row', topic: id, column: 'share' },
});

const change = ({ id }: TopicFigures, text: string): FindingPart => ({
  text,
  lead: { to: 'row', topic: id, column: 'change' },
});

const margin = (topic: Changed): FindingPart[] => {
  const [low, high] = topic.change.margin;
  return ['margin ', change(topic, low), ' to ', change(topic, high)];
};

const shareParts = (topic: TopicFigures): FindingPart[] =>
  topic.share ? ['Share of voice ', share(topic, topic.share), '. '] : [];

/** The time and size of a peak. */
function peakParts({ key, when, times }: PeakFigures): FindingPart[] {
  const figure = (text: string): FindingPart => ({ text, lead: { to: 'peak', key } });
  return [
    figure(when),
    ...(times ? [', ', figure(times), ' the usual'] : [', where almost none is usual']),
  ];
}

/** The relation of Posts to a cause. It is what they say, not why they were written. */
const SAYS: Readonly<Record<CauseKind, string>> = {
  repost: 'are',
  tag: 'have',
  link: 'link to',
  phrase: 'say',
  word: 'say',
  account: 'are by',
};

/** The first cause of a peak as a sentence about its Posts; none while it is unknown. */
function causeParts({ key, cause }: PeakFigures): FindingPart[] {
  if (!cause) return [];
  const figure = (text: string): FindingPart => ({ text, lead: { to: 'peak', key } });
  return [
    ...(cause.read ? [' Of ', figure(cause.read), ' that were read, '] : [' Of its Posts, ']),
    figure(cause.share),
    ` ${SAYS[cause.kind]} `,
    figure(cause.name),
    '.',
  ];
}

/** The topic that is above all others; null if none is. */
function above(topics: readonly Changed[], by: (topic: Changed) => number): Changed | null {
  const most = Math.max(...topics.map(by));
  const [first = null, ...equal] = topics.filter((topic) => by(topic) === most);
  return equal.length === 0 ? first : null;
}

/** The topic with the most Posts now, and the one with the most before, if each led by more than chance. */
function newLeader(
  topics: readonly TopicFigures[],
): readonly [now: Changed, before: Changed] | null {
  const changed = topics.filter(hasChange);
  if (changed.length < Math.max(2, topics.length)) return null;
  const now = above(changed, (topic) => topic.total.value);
  const before = above(changed, (topic) => topic.change.before);
  if (!now?.share || !before?.share || now === before) return null;
  // The page has no margin of an earlier share; that of now is about as wide.
  const sum = changed.reduce((all, topic) => all + topic.change.before, 0);
  const led = (before.change.before - now.change.before) / sum;
  const margin = (now.share.high - now.share.low + before.share.high - before.share.low) / 2;
  return now.share.low > before.share.high && led > margin ? [now, before] : null;
}

function changeFinding(topic: Changed, { peaks, against, topics }: FindingFigures): Finding {
  const { name, change: of } = topic;
  const leads = newLeader(topics);
  const overtaken = leads?.[0] === topic ? `, and now leads ${leads[1].name}` : '';
  const peak = peaks?.find((each) => each.topic === topic.id);
  const isNew = of.value === Infinity;
  const size = [
    of.value > 0 ? ' is up ' : ' is down ',
    ...(of.counts
      ? ['from ', change(topic, of.counts), ` Posts compared with ${against}`]
      : [change(topic, of.size), ` from ${against}`]),
  ];
  return {
    rule: 'change',
    sentence: [
      name,
      ...(isNew ? [' is new: ', total(topic), ' Posts, none in the compared period'] : size),
      overtaken,
    ].filter(Boolean),
    evidence: [
      ...(isNew || of.counts
        ? shareParts(topic)
        : [total(topic), ' Posts, ', ...margin(topic), '. ']),
      ...(peak ? ['Largest peak: ', ...peakParts(peak), '.', ...causeParts(peak)] : []),
    ],
  };
}

function leaderFinding(now: TopicFigures, before: TopicFigures, against: string): Finding {
  const shares =
    now.share && before.share
      ? ['Share of voice ', share(now, now.share), ' against ', share(before, before.share), '. ']
      : [];
  return {
    rule: 'leader',
    sentence: [
      `${now.name} now leads ${before.name}, by `,
      total(now),
      ' to ',
      total(before),
      ' Posts',
    ],
    evidence: [...shares, `Compared with ${against}, which ${before.name} led.`],
  };
}

function peakFinding(peak: PeakFigures, { topics }: FindingFigures): Finding {
  const name = topics.find(({ id }) => id === peak.topic)?.name;
  const quiet = topics.every((topic) => topic.change?.unchanged && !topic.change.counts);
  return {
    rule: 'peak',
    sentence: [
      topics.length > 1 && name ? `${name} has the largest peak: ` : 'The largest peak is ',
      ...peakParts(peak),
    ],
    evidence: [
      { text: peak.posts, lead: { to: 'peak', key: peak.key } },
      '.',
      ...causeParts(peak),
      ...(quiet ? [' Nothing changed by more than chance.'] : []),
    ],
  };
}

/** @param topics - All with a change within its margin, the largest first. */
function noFinding(topics: readonly Changed[], against: string): Finding | null {
  const [topic] = topics;
  if (!topic) return null;
  const few = topics.filter((each) => each.change.counts);
  const [scarce] = few;
  if (scarce) {
    const name = topics.length > 1 ? `${scarce.name} ` : '';
    return {
      rule: 'none',
      sentence: [
        `Too few Posts to compare with ${against}: ${name}from `,
        change(scarce, scarce.change.counts),
      ],
      evidence:
        topics.length > 1 && few.length === 1 ? ['Nothing else changed by more than chance.'] : [],
    };
  }
  return {
    rule: 'none',
    sentence: ['Nothing changed by more than chance'],
    evidence: [
      topics.length > 1 ? `Largest change: ${topic.name}, ` : '',
      total(topic),
      ' Posts, ',
      change(topic, topic.change.text),
      ` from ${against}, `,
      ...margin(topic),
      '.',
    ].filter(Boolean),
  };
}

/**
 * The finding of a page, by fixed rules in this order: the largest change that exceeds its margin; a change of leader
 * that exceeds the margins of the shares, then and now; the largest peak; that nothing changed by more than chance, or
 * that too few Posts came before to tell. It says what the Posts of the peak say, but claims no cause, and each of its
 * figures is one of those given.
 *
 * @returns Null if a figure is incomplete, or if too little is known for any rule.
 */
export function findingOf(figures: FindingFigures): Finding | null {
  const { topics, peaks, against } = figures;
  if (topics.length === 0 || !peaks || topics.some(({ complete }) => !complete)) return null;
  const changed = topics
    .filter(hasChange)
    .toSorted((a, b) => Math.abs(b.change.value) - Math.abs(a.change.value));
  const largest = changed.find((topic) => topic.change.clear);
  if (largest) return changeFinding(largest, figures);
  const leads = newLeader(topics);
  if (leads) return leaderFinding(...leads, against);
  const [peak] = peaks;
  if (peak) return peakFinding(peak, figures);
  const quiet = topics.every((topic) => topic.change?.unchanged);
  return quiet ? noFinding(changed, against) : null;
}

/** The keys of the peaks that a finding leads to. */
export function peaksNamed(finding: Finding | null): string[] {
  return [...(finding?.sentence ?? []), ...(finding?.evidence ?? [])].flatMap((part) =>
    typeof part !== 'string' && part.lead.to === 'peak' ? [part.lead.key] : [],
  );
}

/** A sentence or its evidence as plain text. */
export function findingText(parts: readonly FindingPart[]): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('')
    .trim();
}
