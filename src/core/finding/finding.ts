import type { CauseKind } from '#core/causes/causes.ts';
import type {
  TopicFigures,
  ChangeFigures,
  FindingPart,
  ShareFigures,
  PeakFigures,
  FindingFigures,
  Finding,
} from './finding-figures.ts';

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
