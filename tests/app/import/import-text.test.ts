import { describe, expect, it } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import { importOutcomeWords, progressWords, refusals } from '#app/import/import-text.ts';
import type { ImportFault } from '#app/import/import-queue.svelte.ts';
import type { ImportReport } from '#contract/control/control.ts';

const format = new Formatter('en-GB');
const NONE = { followers: 0, following: 0, likes: 0, blocks: 0, mutes: 0, lists: 0 };
const reportOf = (over: Partial<ImportReport>): ImportReport => ({
  read: 0,
  added: 0,
  already: 0,
  refused: 0,
  relations: NONE,
  noteRequests: 0,
  reasons: [],
  seconds: 1,
  stopped: false,
  ...over,
});

describe('the progress of an import', () => {
  const progress = { name: 'a.csv', done: 31e6, total: 114e6, rows: 412_000, secondsLeft: 39.2 };
  it.each([
    [{ ...progress, phase: 'reading' }, '412,000 rows read · 31 MB of 114 MB · 40 s left'],
    [{ ...progress, phase: 'reading', secondsLeft: null }, '412,000 rows read · 31 MB of 114 MB'],
    [{ ...progress, phase: 'sending', secondsLeft: 90.1 }, 'Sent 31 MB of 114 MB · 2 min left'],
    [{ ...progress, phase: 'queued' }, 'Sent · waiting for the service to read it'],
    [{ ...progress, phase: 'stopping' }, 'Stopping…'],
  ] as const)('is described in each phase: %#', (given, text) => {
    expect(progressWords(given, format)).toBe(text);
  });
});

describe('the outcome of a file', () => {
  const outcome = (summary: ImportReport | null, fault: ImportFault | null = null) =>
    importOutcomeWords({ id: 1, name: 'a.csv', summary, fault, ends: null }, format);

  it.each([
    [
      { read: 392_574, added: 390_000, already: 2562, refused: 12 },
      'Added 390,000 Posts · 2,562 already there · 12 refused',
      false,
    ],
    [{ read: 1, added: 1 }, 'Added 1 Post', false],
    [
      { read: 3, added: 3, relations: { ...NONE, followers: 1204, following: 1, lists: 1 } },
      'Added 3 Posts · 1,204 followers, 1 account followed, 1 list',
      false,
    ],
    [
      { relations: { ...NONE, following: 310, likes: 5100, blocks: 2, mutes: 1 } },
      'Imported 310 accounts followed, 5,100 likes, 2 accounts blocked, 1 account muted',
      false,
    ],
    [
      { read: 2, refused: 2, relations: { ...NONE, followers: 1 } },
      'Imported 1 follower · 2 refused',
      false,
    ],
    [
      { read: 1, already: 1, relations: { ...NONE, likes: 1 } },
      'Nothing new · 1 already there · 1 like',
      false,
    ],
    [{ read: 5, already: 5 }, 'Nothing new · 5 already there', false],
    [{ read: 5, refused: 5 }, 'None of its rows is a Post · 5 refused', true],
    [{}, 'It contains no Posts.', true],
    [{ stopped: true }, 'Stopped before anything was read.', false],
    [
      { read: 9, added: 9, stopped: true },
      'Added 9 Posts · stopped; drop it again for the rest',
      false,
    ],
  ])('of %o reads “%s”', (summary, text, wrong) => {
    expect(outcome(reportOf(summary))).toEqual({ text, wrong });
  });

  it.each([
    [{ kind: 'unreadable' }, /^a\.csv cannot be read\. Drop files, not folders/],
    [{ kind: 'away', sent: false }, /nothing was sent\. Start it again/],
    [{ kind: 'away', sent: true }, /Everything read so far is imported.*nothing is added twice/],
    [{ kind: 'refused', status: 507, message: 'The disk has 1 GB free.' }, /^The disk has/],
    [{ kind: 'refused', status: 500, message: 'It failed.' }, /^The service refused it: It/],
    [{ kind: 'failed', message: 'a.csv: is empty.' }, /^It is empty\.$/],
    [
      {
        kind: 'failed',
        message:
          'a.csv: has no column "text"; it has "b"; if another column holds it: --map text=COLUMN.',
      },
      /it has "b"\. Rename the column .*groundswell import FILE --map text=COLUMN\.$/,
    ],
  ] as const)('of a failure says what to do: %#', (fault, text) => {
    expect(outcome(null, fault)).toEqual({ text: expect.stringMatching(text), wrong: true });
  });

  it('of an interrupted file says how much was imported', () => {
    const { text } = outcome(reportOf({ read: 7, added: 7 }), {
      kind: 'failed',
      message: 'It ends.',
    });
    expect(text).toBe('It ends. Added 7 Posts; importing it again adds the rest.');
  });

  it('lists refused rows by line, groups equal ones, and counts the rest', () => {
    const reasons = [
      { file: 'a.csv', line: 3, reason: 'has no date' },
      { file: 'a.csv', line: 3, reason: 'has no date' },
      { file: 'a.zip/data/tweets.js', line: 1200, reason: 'is no object' },
    ];
    expect(refusals(reportOf({ refused: 10, reasons }), format)).toEqual({
      rows: ['line 3: has no date (2 times)', 'data/tweets.js, line 1,200: is no object'],
      more: 'and 7 more rows',
    });
  });
});
