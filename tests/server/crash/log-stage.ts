import { randomBytes as random } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject } from 'vitest';
import { openService } from '#server/auth/store.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openLog } from '#server/streams/log.ts';
import { orderAccounts } from '#server/users/accounts.ts';
import type { LogJob } from './log-child.ts';
import { openReceiver } from './receiver.ts';
import { runChild } from './child-process.ts';

/** Ends a process from outside after some ms. */
export interface Outside {
  readonly afterMs: number;
}

/** Data folders, a receiver, and processes that deliver what happens in the folders to it. */
export async function logStage() {
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-log-'));
  /** Bodies that the receiver accepted, in the order in which they came. */
  const received: string[] = [];
  /** True if the receiver fails for the next delivery. */
  const fails = { next: (): boolean => false };
  const { url, close } = await openReceiver((body) => {
    const failed = fails.next();
    if (!failed) received.push(body);
    return !failed;
  });
  let folders = 0;
  return {
    received,
    fails,
    /** A data folder with the account @ann, and a file of Posts to import, one every second. */
    data: (posts: number): { data: string; csv: string } => {
      const data = join(folder, String((folders += 1)));
      mkdirSync(data);
      const service = openService(join(data, 'service.sqlite'), { random });
      const accounts = { service, newId: () => '7', now: Date.now };
      orderAccounts(accounts, { action: 'add', username: 'ann', profile: {} });
      service.close();
      const rows = Array.from({ length: posts }, (_, i) => {
        const at = new Date(Date.UTC(2016, 5, 24) + i * 1000).toISOString();
        return `${1000 + i},${at},bob,"tea ${i}",en\n`;
      });
      const csv = join(data, 'posts.csv');
      writeFileSync(csv, `id,created_at,author,text,lang\n${rows.join('')}`);
      return { data, csv };
    },
    /** Runs {@link file://./log-child.ts}. */
    run: async (job: Omit<LogJob, 'entry' | 'url'>, outside: Outside | null = null) => {
      const entry = pathToFileURL(join(inject('programs'), 'groundswell.js')).href;
      const all: LogJob = { ...job, entry, url };
      const { signal, done } = await runChild('log-child', all, outside?.afterMs);
      return { killed: signal === 'SIGKILL', isDone: done.includes('done') };
    },
    /**
     * Checks that the receiver got each entry of a log at least once, in order, and nothing else.
     *
     * @param repeated - Deliveries that it may have got more than once.
     * @returns Types and Posts of the entries.
     */
    prove: (data: string, repeated: number): string[] => {
      const log = openLog(() => openPosts(join(data, 'posts.sqlite'), { random }));
      const entries = log.after(0, 100_000);
      log.close();
      expect(entries.map(({ number }) => number)).toEqual(entries.map((_, i) => i + 1));
      const bodies = entries.map(({ number, type, post }) => `${number} ${type} ${post}`);
      expect([...new Set(received)]).toEqual(bodies);
      expect(received.length - bodies.length).toBeLessThanOrEqual(repeated);
      return entries.map(({ type, post }) => `${type} ${post}`);
    },
    close: (): void => {
      close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
