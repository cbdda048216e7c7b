import type { Formatter } from '#app/format/formatter.ts';
import type { ImportReport } from '#contract/control/control.ts';
import { plural } from '#core/format/plural.ts';
import type { ImportFault, ImportOutcome, QueueProgress } from './import-queue.svelte.ts';

type Say = Pick<Formatter, 'count' | 'counted' | 'bytes'>;

/** `40 s left`, `3 min left`; empty if unknown. */
function remainingText(seconds: number | null): string {
  if (seconds === null) return '';
  const whole = Math.max(1, Math.ceil(seconds));
  return whole < 90 ? `${whole} s left` : `${Math.ceil(whole / 60)} min left`;
}

/** `412,000 rows read · 31 MB of 114 MB · 40 s left`. */
export function progressWords(progress: QueueProgress, words: Say): string {
  const { phase, done, total, rows, secondsLeft } = progress;
  const bytes = `${words.bytes(done)} of ${words.bytes(total)}`;
  switch (phase) {
    case 'sending':
      return [`Sent ${bytes}`, remainingText(secondsLeft)].filter(Boolean).join(' · ');
    case 'queued':
      return 'Sent · waiting for the service to read it';
    case 'stopping':
      return 'Stopping…';
    case 'reading':
      return [`${words.count(rows)} rows read`, bytes, remainingText(secondsLeft)]
        .filter(Boolean)
        .join(' · ');
  }
}

/** `1,204 followers`, `310 accounts followed` and so on, of what an archive contains; empty without relations. */
function relationWords({ relations }: ImportReport, words: Say): string {
  const { followers, following, likes, blocks, mutes, lists } = relations;
  const forms = [
    [followers, 'follower', 'followers'],
    [following, 'account followed', 'accounts followed'],
    [likes, 'like', 'likes'],
    [blocks, 'account blocked', 'accounts blocked'],
    [mutes, 'account muted', 'accounts muted'],
    [lists, 'list', 'lists'],
  ] as const;
  return forms.flatMap(([n, one, many]) => (n > 0 ? words.counted(n, one, many) : [])).join(', ');
}

function postWords({ added, already }: ImportReport, words: Say): string {
  if (added === 0 && already > 0) return 'Nothing new';
  return `Added ${words.counted(added, 'Post')}`;
}

function counted(summary: ImportReport, words: Say): string {
  const { added, already, refused, noteRequests } = summary;
  const hasPosts = added + already > 0;
  const related = relationWords(summary, words);
  const parts = [
    hasPosts || !related ? postWords(summary, words) : `Imported ${related}`,
    already > 0 ? `${words.count(already)} already there` : '',
    hasPosts ? related : '',
    noteRequests > 0 ? `notes requested for ${words.count(noteRequests)}` : '',
    refused > 0 ? `${words.count(refused)} refused` : '',
  ];
  return parts.filter(Boolean).join(' · ');
}

/** Rewords an import message meant for the command line for a user who dropped a file. */
function failed(named: string, file: string): string {
  // The strip shows the name of the file already.
  const message = named.startsWith(`${file}: `) ? `It ${named.slice(file.length + 2)}` : named;
  const at = message.indexOf('; if another column holds it: --map');
  if (at < 0) return message;
  return `${message.slice(0, at)}. Rename the column that holds it and drop the file again, or name it to the command: groundswell import FILE${message.slice(message.indexOf(' --map'))}`;
}

function faultWords(fault: ImportFault, name: string): string {
  switch (fault.kind) {
    case 'unreadable':
      return `${name} cannot be read. Drop files, not folders; if it was moved or changed, drop it again.`;
    case 'away':
      return fault.sent
        ? 'The service stopped while it was reading. Everything read so far is imported. Start it again (npm start) and drop the file again; nothing is added twice.'
        : 'The service doesn’t answer, so nothing was sent. Start it again (npm start) and drop the file again.';
    case 'refused':
      return [413, 422, 507].includes(fault.status)
        ? fault.message
        : `The service refused it: ${fault.message}`;
    case 'failed':
      return failed(fault.message, name);
  }
}

/** The result of an import, as sentences, and whether it failed. */
export function importOutcomeWords(
  { name, summary, fault }: ImportOutcome,
  words: Say,
): { text: string; wrong: boolean } {
  const hasRows = summary !== null && (summary.read > 0 || relationWords(summary, words) !== '');
  const done = hasRows ? counted(summary, words) : '';
  if (fault) {
    const rest = done && `${done}; importing it again adds the rest.`;
    return { text: [faultWords(fault, name), rest].filter(Boolean).join(' '), wrong: true };
  }
  if (!hasRows) {
    return summary?.stopped
      ? { text: 'Stopped before anything was read.', wrong: false }
      : { text: 'It contains no Posts.', wrong: true };
  }
  const { added, already, refused } = summary;
  const none = added + already === 0 && relationWords(summary, words) === '';
  const end = summary.stopped ? ' · stopped; drop it again for the rest' : '';
  const all = `None of its rows is a Post · ${words.count(refused)} refused`;
  return { text: `${none ? all : done}${end}`, wrong: none };
}

/** The listed refused rows, equal ones once; and how many more there are. */
export function refusals(
  { reasons, refused }: ImportReport,
  words: Say,
): { rows: string[]; more: string } {
  const times = new Map<string, number>();
  for (const { file, line, reason } of reasons) {
    // For a zip, the entry's name follows the zip's.
    const entry = file.includes('/') ? `${file.slice(file.indexOf('/') + 1)}, ` : '';
    const text = `${entry}line ${words.count(line)}: ${reason}`;
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  const more = refused - reasons.length;
  return {
    rows: [...times].map(([text, n]) => (n === 1 ? text : `${text} (${n} times)`)),
    more: more > 0 ? `and ${words.counted(more, 'more row')}` : '',
  };
}

/** `2 more files wait`; empty if none does. */
export function waitingFilesWords(files: number): string {
  return files === 0 ? '' : `${plural(files, 'more file')} ${files === 1 ? 'waits' : 'wait'}`;
}
