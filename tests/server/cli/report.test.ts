import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatView } from '#app/board/state/view.ts';
import { writeBoard } from '#app/counts/files/board-file.ts';
import { readCsv } from '#app/export/read-csv.ts';
import { csvInReport } from '#app/export/report.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { command, groundswell, serve } from '#tests/support/service/command.ts';
import { startMailServer } from '#tests/support/service/mail-server.ts';
import { isInstalled, programPath } from '#tests/support/run/installed.ts';
import { FakeClock } from '#tests/support/timers.ts';
import { dataRig } from './data-rig.ts';

const { data, path, run, write } = dataRig();
const board = path('Tea.groundswell-board');
let out: string;

const VIEW = 'source=posts&from=2026-05-01&to=2026-05-31&zone=Europe/Berlin&by=day&q=tea';

async function saveBoard(name: string, view: string): Promise<void> {
  const blob = await writeBoard({ id: 'b', at: 1, opened: 1, name, view, notes: [], fixed: [] });
  writeFileSync(board, new Uint8Array(await blob.arrayBuffer()));
}

beforeAll(async () => {
  const rows = Array.from(
    { length: 60 },
    (_, i) => `${i + 1},2026-05-${String(1 + (i % 20)).padStart(2, '0')}T10:00:00Z,tea`,
  );
  await run('import', write('posts.csv', ['id,created_at,text', ...rows]));
});
beforeEach(async () => {
  out = path(`reports-${Math.trunc(performance.now())}`);
  await saveBoard('Tea week', VIEW);
});

const files = (): string[] =>
  readdirSync(out)
    .filter((name) => !name.startsWith('.'))
    .sort();

describe('groundswell report', () => {
  const report = (...args: string[]) => run('report', ...args);

  it('writes a board with the counts of the data folder, and replaces no earlier file', async () => {
    const first = await report(board, '--out', out);
    expect(first).toMatchObject({ code: 0, err: '' });
    const written = first.out.trimEnd();
    expect(basename(written)).toMatch(/^Tea week \d{4}-\d\d-\d\d\.html$/);
    const reading = await readCsv(csvInReport(readFileSync(written, 'utf8')) ?? '');
    const [series] = reading.ok ? reading.series : [];
    expect(series?.curve.counts.slice(0, 21)).toEqual(
      Float64Array.from([...'3'.repeat(20), Number.NaN].map(Number)),
    );
    const verified = await groundswell('verify', written);
    expect(verified).toMatchObject({ code: 0, err: '' });
    expect(verified.out).toMatch(/figures from 31 counts, no disagreement\.\nThis shows that/);
    const changed = join(out, 'changed.txt');
    writeFileSync(changed, readFileSync(written, 'utf8').replace('60 Posts in', '61 Posts in'));
    expect(await groundswell('verify', changed)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /Total of “tea”: the file says 61 Posts .* its counts give 60 Posts/,
      ),
    });
    rmSync(changed);
    const second = await report(board, '--out', out);
    expect(second.out).toMatch(/ \(2\)\.html\n$/);
    expect(files()).toHaveLength(2);
  });

  const office = programPath('soffice', '/usr/bin/soffice');
  const hasOffice = isInstalled(
    office,
    'soffice is not installed: no presentation is opened by LibreOffice.',
    'GROUNDSWELL_TEST_OFFICE',
  );

  it.runIf(hasOffice)(
    'writes a slide that LibreOffice opens, with its counts and gaps',
    async () => {
      const written = (await report(board, '--pptx', '--out', out)).out.trimEnd();
      expect(basename(written)).toMatch(/^Tea week \d{4}-\d\d-\d\d\.pptx$/);
      const profile = `-env:UserInstallation=file://${path('office')}`;
      const args = [profile, '--headless', '--convert-to', 'fodp', '--outdir', out, written];
      spawnSync(office ?? '', args, { stdio: 'ignore' });
      const opened = readFileSync(written.replace(/pptx$/, 'fodp'), 'utf8');
      expect(opened).toContain('presentation:class="title"');
      expect(opened).toContain('Groundswell: method');
      const chart = /<chart:chart.*<\/chart:chart>/s.exec(opened)?.[0] ?? '';
      expect(chart).toContain('chart:class="chart:line"');
      const values = [...chart.matchAll(/office:value="([^"]+)"/g)].map(([, value]) =>
        Number(value),
      );
      // Of 30 days, the last 10 have no Post yet: a day before the newest Post is zero, a later one unknown.
      const known = values.filter((value) => value < 100 || Number.isNaN(value));
      expect(known.slice(0, 21)).toEqual([...Array.from({ length: 20 }, () => 3), Number.NaN]);
    },
  );

  it('sends a notice to each channel, on this machine only if that is allowed', async () => {
    const notices: unknown[] = [];
    const host = createServer((request, response) => {
      void json(request).then((body) => {
        notices.push(body);
        response.end();
      });
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const hook = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;
    const refused = await report(board, '--out', out, '--to', `webhook:${hook}`);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^--to: The URL leads to an address that is not public/);
    const mail = await startMailServer();
    const to = [`webhook:${hook}`, `slack:${hook}`, 'email:bob@example.com'];
    const args = ['report', board, '--out', out, '--allow-private', '--data', data];
    const smtp = `smtp://ann%40x:p%20w@127.0.0.1:${mail.port}?from=ann@example.com`;
    const sent = await command(args.concat(to.flatMap((channel) => ['--to', channel])), {
      environment: { GROUNDSWELL_SMTP_URL: smtp },
    });
    expect(sent).toMatchObject({ code: 0, err: '' });
    const [file = ''] = files();
    expect(notices).toHaveLength(2);
    expect(notices).toContainEqual(
      expect.objectContaining({ title: 'Tea week', file, series: [{ name: 'tea', posts: 60 }] }),
    );
    expect(notices).toContainEqual({ text: expect.stringContaining('tea: 60 Posts') });
    expect(mail.mails).toEqual([expect.stringMatching(/^Subject: Tea week\r$[^]*tea: 60 Posts/m)]);
    await mail.close();
    host.closeAllConnections();
    host.close();
  });

  it('says why it cannot write', async () => {
    const { code, err } = await report(board, '--out', join(board, 'within'));
    expect(code).toBe(1);
    expect(err).toMatch(/^Reports cannot be written to .+\n$/);
  });

  it('counts while a service runs, with what it just added', { tags: 'long' }, async () => {
    const service = await serve(data);
    const more = path('more.csv');
    writeFileSync(more, 'id,created_at,text\n99,2026-05-03T11:00:00Z,tea\n');
    await run('import', more);
    const { code, out: printed } = await report(`${service.url}/#${VIEW}`, '--out', out);
    expect(code).toBe(0);
    expect(readFileSync(printed.trimEnd(), 'utf8')).toContain('Total</dt><dd>61 Posts');
    await service.stop();
  });

  it.each([
    [
      'no such file',
      'nothing.groundswell-board',
      /nothing.groundswell-board cannot be read: there is no such file\.\n/,
    ],
    ['a query that is wrong', '#source=posts&q=(', /^“\(” cannot be counted: .+\n$/],
    [
      'an unknown collection',
      '#source=posts&q=tea in:Nowhere',
      /^“tea in:Nowhere” cannot be counted: .*Nowhere.*\n$/,
    ],
    [
      'the platform',
      '#source=platform&q=tea',
      /^The board counts the platform, whose counts cost money\./,
    ],
    ['no view', 'http://127.0.0.1:4319/', /^The address has no view after its #\./],
  ])('refuses %s in one line', async (_, given, message) => {
    const { code, err } = await report(given, '--out', out);
    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect(err.trimEnd()).not.toContain('\n');
    expect(files()).toEqual([]);
  });
});

describe('a schedule of reports', () => {
  /** A Monday, 06:00 in Berlin. */
  const MONDAY = Date.UTC(2026, 10, 23, 5);

  /** Follows Mondays by a clock of its own. */
  function follow(at: number, every = 'monday', ...more: string[]) {
    const clock = new FakeClock(at);
    const stop = new AbortController();
    const args = ['report', board, '--out', out, '--every', every, '--data', data, ...more];
    const { now, timer } = clock;
    const ended = command(args, { now, timer, stopping: stop.signal });
    /** Waits until it waits for its next time. */
    const rest = async (): Promise<void> => {
      while (clock.next() === null) await setImmediate();
    };
    return {
      rest,
      pass: (ms: number) => clock.move(ms, rest),
      end: async () => {
        stop.abort();
        return await ended;
      },
    };
  }

  it('writes one at every time, and makes up what was missed once', { tags: 'long' }, async () => {
    const first = follow(MONDAY - 2 * DAY_MS);
    await first.rest();
    await first.pass(3 * DAY_MS);
    expect(files()).toEqual(['Tea week 2026-11-23.html']);
    expect(await first.end()).toMatchObject({
      code: 130,
      err: [23, 30]
        .map((day) => `Next report: Mon, ${day} Nov 2026, 06:00 (Europe/Berlin)\n`)
        .join(''),
    });

    // Two Mondays pass without a process.
    const second = follow(MONDAY + 16 * DAY_MS);
    await second.rest();
    expect(files()).toEqual(['Tea week 2026-11-23.html', 'Tea week 2026-12-09.html']);
    expect((await second.end()).code).toBe(130);

    const third = follow(MONDAY + 16 * DAY_MS + HOUR_MS);
    await third.pass(5 * DAY_MS);
    expect(files()).toHaveLength(3);
    expect(files()).toContain('Tea week 2026-12-14.html');
    expect((await third.end()).code).toBe(130);
  });

  it('goes on after a run that failed, with the board as it then is', async () => {
    const { pass, rest, end } = follow(MONDAY - HOUR_MS);
    await rest();
    renameSync(board, `${board}-gone`);
    await pass(2 * HOUR_MS);
    expect(files()).toEqual([]);
    await saveBoard('Tea of the year', VIEW);
    await pass(7 * DAY_MS);
    expect(files()).toEqual(['Tea of the year 2026-11-30.html']);
    const { code, err } = await end();
    expect(code).toBe(130);
    expect(err).toMatch(/Tea\.groundswell-board cannot be read: there is no such file\.\n/);
  });

  it('goes on while a channel does not answer, and ends with it', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const hook = `webhook:http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const to = ['--to', hook, '--allow-private'];
    const { pass, rest, end } = follow(MONDAY + 10 * MINUTE_MS, 'hour', ...to);
    await rest();
    await pass(3 * HOUR_MS);
    expect(files()).toHaveLength(3);
    expect((await end()).code).toBe(130);
    silent.closeAllConnections();
    silent.close();
  });

  it('does not begin with a board that cannot be read', async () => {
    await saveBoard('Tea', formatView({ source: 'platform' }));
    const { code, err } = await groundswell(
      'report',
      board,
      '--out',
      out,
      '--every',
      'day',
      '--data',
      data,
    );
    expect(code).toBe(1);
    expect(err).toMatch(/^The board counts the platform/);
  });
});
