import { nextTime, schedulePattern, SCHEDULE_WORDS } from '#core/time/cron.ts';
import { CHANNEL_OPTION, channelsOf } from '#server/cli/channel-option.ts';
import { command } from '#server/cli/command.ts';
import { noMore, UsageError, type Values } from '#server/cli/options.ts';
import type { ReportOrder } from '#server/cli/counting/report.ts';

function zoneOf(values: Values): string | null {
  const zone = values.last('zone');
  if (zone === undefined) return null;
  try {
    // As the system writes it: `europe/berlin` is one too.
    return Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    throw new UsageError(`--zone ${zone} is not a time zone: expected one such as Europe/Berlin.`);
  }
}

function everyOf(values: Values): string | null {
  const text = values.last('every');
  if (text === undefined) return null;
  const pattern = schedulePattern(text);
  const expected = `expected ${SCHEDULE_WORDS.join(', ')}, perhaps with a time such as "monday 07:30", or a cron pattern such as "0 9 * * 1"`;
  if (pattern === null) throw new UsageError(`--every ${text} is not a schedule: ${expected}.`);
  let next: number | null;
  try {
    next = nextTime(pattern, 'UTC', 0);
  } catch {
    throw new UsageError(`--every ${text} is not a schedule: ${expected}.`);
  }
  if (next === null) throw new UsageError(`--every ${text} is a time that never comes.`);
  return pattern;
}

function reportOf([board, extra]: readonly string[], values: Values): ReportOrder {
  if (board === undefined || board === '') {
    throw new UsageError('Name the board: groundswell report BOARD --out DIR.');
  }
  noMore(extra, 'report');
  const out = values.last('out');
  if (out === undefined || out === '') {
    throw new UsageError('Name a folder for the reports: --out DIR.');
  }
  const [every, zone] = [everyOf(values), zoneOf(values)];
  if (zone !== null && every === null) throw new UsageError('--zone belongs to --every.');
  const channels = channelsOf(values);
  const allowPrivate = values.has('allow-private');
  if (allowPrivate && channels.length === 0) {
    throw new UsageError('--allow-private belongs to --to.');
  }
  const form = values.has('pptx') ? 'pptx' : 'html';
  return { board, form, out, every, zone, channels, allowPrivate };
}

export const reportCommand = command({
  name: 'report',
  summary: {
    'groundswell report BOARD --out DIR [--pptx] [--every SCHEDULE [--zone ZONE]]':
      'writes a board as a report in one HTML file or as a PowerPoint slide, now or on a schedule',
  },
  about: `groundswell report BOARD --out DIR [--pptx] [--every SCHEDULE [--zone ZONE]] [--to KIND:ADDRESS]
Writes a board as a report: one HTML file with the picture, tables, method and counts, as Export › Report of the
dashboard does. BOARD is a board file, a bundle, or the address of a view in quotes. A range such as the last 30 days
ends when the report is written. The command also works while a service is running.`,
  column: 20,
  options: {
    '--out DIR': 'folder for the reports; files are named by board and day, and never replaced',
    '--pptx': `write a PowerPoint slide in place of the report: a chart that can be edited, the counts behind it,
      and the method as speaker notes`,
    '--every SCHEDULE': `keep running and write a report every hour, day, weekdays, monday (or another weekday) or month:
      at 06:00, or at another time, as in "monday 07:30"; or by a cron pattern such as "0 9 * * 1".
      One report makes up for all times missed since the last one`,
    '--zone ZONE': `time zone of the schedule, such as Europe/Berlin (default: the board's)`,
    ...CHANNEL_OPTION,
    '--allow-private': 'allow channels on this machine and its network',
  },
  posts: 'cluster',
  read: (words, values) => ({ report: reportOf(words, values) }),
  run: async (deps, order) =>
    await (await import('#server/cli/counting/report.ts')).runReport(deps, order),
});
