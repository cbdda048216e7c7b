import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { reportNames } from '#server/report/file-names.ts';
import { ReportFolder } from '#server/report/report-folder.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { temporaryFolder } from '#tests/support/service/process.ts';

const NOW = Date.UTC(2026, 10, 23, 23, 30);

let path: string;
beforeEach(() => (path = temporaryFolder()));
afterEach(() => rmSync(path, { recursive: true, force: true }));

const folder = (): ReportFolder => new ReportFolder(join(path, 'reports'), (n) => randomBytes(n));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const files = (): string[] => readdirSync(join(path, 'reports')).sort();

describe('names of reports', () => {
  const first = (title: string, zone = 'UTC'): string =>
    reportNames(title, NOW, zone, 'html').next().value;

  it('have the board, and the day in the zone', () => {
    expect(first('Tea week')).toBe('Tea week 2026-11-23.html');
    expect(first('Tea week', 'Europe/Berlin')).toBe('Tea week 2026-11-24.html');
    expect(first('../a/b: "c"\u202e\n')).toBe('a b c 2026-11-23.html');
    expect(first('...')).toBe('Board 2026-11-23.html');
  });

  it('are numbered from the second on', () => {
    const names = reportNames('Tea', NOW, 'UTC', 'html');
    const three = [names.next().value, names.next().value, names.next().value];
    expect(three).toEqual([
      'Tea 2026-11-23.html',
      'Tea 2026-11-23 (2).html',
      'Tea 2026-11-23 (3).html',
    ]);
  });

  it('are short and have no special characters, whatever the board is called', () => {
    const title = fc.oneof(
      unicodeText({ maxLength: 300 }),
      fc.string({
        unit: fc.constantFrom('.', '/', '\\', ' ', 'é', '茶', '🍵', '\0'),
        maxLength: 300,
      }),
    );
    fc.assert(
      fc.property(title, (text) => {
        const name = first(text);
        expect(Buffer.byteLength(name)).toBeLessThan(200);
        expect(name).toMatch(/^[^\s.\\/:*?"<>|\p{Cc}][^\\/:*?"<>|\p{Cc}]* 2026-11-23\.html$/u);
      }),
    );
    const written = folder().write(bytes('text'), [first(`🍵${'茶'.repeat(300)}`)]);
    expect(readFileSync(written, 'utf8')).toBe('text');
  });
});

describe('the folder of reports', () => {
  it('never replaces a file', () => {
    const out = folder();
    const names = (): Iterable<string> => reportNames('Tea', NOW, 'UTC', 'html');
    const written = ['first', 'second'].map((text) => out.write(bytes(text), names()));
    expect(written.map((file) => readFileSync(file, 'utf8'))).toEqual(['first', 'second']);
    expect(files()).toEqual(['Tea 2026-11-23 (2).html', 'Tea 2026-11-23.html']);
  });

  it('takes the next name if another process takes one meanwhile', () => {
    const out = folder();
    const written = out.write(bytes('mine'), ['a.html', 'b.html'], (name) => {
      if (name === 'a.html') writeFileSync(join(out.path, name), 'theirs');
    });
    expect(written).toBe(join(out.path, 'b.html'));
    expect(readFileSync(join(out.path, 'a.html'), 'utf8')).toBe('theirs');
  });

  it('has no file under its name before that is complete', () => {
    const out = folder();
    expect(() =>
      out.write(bytes('text'), ['a.html'], () => {
        throw new Error('the end');
      }),
    ).toThrow('the end');
    expect(files()).toEqual([]);
  });

  it('loses what a killed process left behind, not what another one is writing', () => {
    const out = folder();
    const [old, young] = ['1', '2'].map((digit) =>
      join(out.path, `.groundswell-${digit.repeat(16)}.tmp`),
    ) as [string, string];
    for (const file of [old, young]) writeFileSync(file, 'half');
    utimesSync(old, (NOW - 2 * HOUR_MS) / 1000, (NOW - 2 * HOUR_MS) / 1000);
    utimesSync(young, NOW / 1000, NOW / 1000);
    out.clean(NOW);
    expect(files()).toEqual([`.groundswell-${'2'.repeat(16)}.tmp`]);
  });

  it('says why it cannot be created', () => {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'reports'), '');
    expect(folder).toThrow(/EEXIST|ENOTDIR/);
  });
});

describe('the notes of a schedule', () => {
  it('begin now, and then with the newest report', () => {
    const out = folder();
    const runs = out.runs('mondays');
    expect(runs.begin(NOW)).toBe(NOW);
    expect(out.runs('mondays').begin(NOW + DAY_MS)).toBe(NOW);
    runs.end(NOW + 2 * DAY_MS);
    expect(out.runs('mondays').begin(NOW + 9 * DAY_MS)).toBe(NOW + 2 * DAY_MS);
    expect(out.runs('tuesdays').begin(NOW + 9 * DAY_MS)).toBe(NOW + 9 * DAY_MS);
  });

  it('know a report whose process was killed right after writing it, and right before', () => {
    const out = folder();
    const runs = out.runs('mondays');
    runs.begin(NOW);
    runs.pending('a.html', NOW + DAY_MS);
    expect(out.runs('mondays').begin(NOW + 2 * DAY_MS)).toBe(NOW);
    runs.pending('a.html', NOW + DAY_MS);
    writeFileSync(join(out.path, 'a.html'), 'report');
    expect(out.runs('mondays').begin(NOW + 2 * DAY_MS)).toBe(NOW + DAY_MS);
  });

  it('begin again if their file is damaged', () => {
    const out = folder();
    out.runs('mondays').begin(NOW);
    const [name = ''] = files();
    writeFileSync(join(out.path, name), '{"done":');
    expect(out.runs('mondays').begin(NOW + DAY_MS)).toBe(NOW + DAY_MS);
  });
});
