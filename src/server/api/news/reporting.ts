import { setImmediate } from 'node:timers/promises';
import type { NewsField } from '#contract/posts/news.ts';
import type { Story } from '#core/news/story.ts';
import { errorMessage } from '#core/thrown.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { floorTo } from '#core/time/bucket.ts';
import type { FindSource } from '#server/http/current-source.ts';
import type { Machine } from '#server/machine.ts';
import { object } from '#core/import/json.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import type { NewEvent } from '#server/streams/event-table.ts';
import type { EventLog } from '#server/streams/log.ts';
import type { NewsSource } from './finder-thread.ts';
import { newsJson, REPORTED_MS, type News } from './news.ts';

export interface ReportingDeps extends Pick<Machine, 'now' | 'timer' | 'log'> {
  readonly id: NewsSource;
  readonly source: FindSource;
  readonly news: Pick<News, 'fresh'>;
  /** The log of the source. */
  readonly events: EventLog;
  /** Changes the source. */
  readonly write: PostEditor['write'];
}

/** The reporting of what becomes a story, until it is closed. */
export type Reporting = ReturnType<typeof startReporting>;

/** Entries of the log that are read at once. */
const PART = 256;

/** The fields of the payload of an event (platform-facts, section 6.3). */
const FIELDS: readonly NewsField[] = [
  'category',
  'hook',
  'summary',
  'contexts',
  'cluster_posts_results',
  'updated_at',
  'disclaimer',
];

/**
 * The event of a new story. Its body has `story`, the payload; `texts`, in which a subscription's keyword is sought; and
 * `ids`, under which the story is known.
 */
function storyEvent(story: Story): NewEvent {
  // Both are names of answers alone.
  const { rest_id: _id, last_updated_at_ms: _time, ...payload } = newsJson(story, FIELDS);
  const { name, summary, keywords, contexts, ids } = story;
  const texts = [name, summary, ...keywords, ...Object.values(contexts).flat()];
  return { type: 'news.new', users: [], post: null, body: { story: payload, texts, ids } };
}

/** Ids of the stories that were reported, from the log, which has them for longer than they can be reported again. */
function reportedIn(events: EventLog) {
  const ids = new Map<string, number>();
  let last = 0;
  return {
    has: (id: string): boolean => ids.has(id),
    /** Reads what was added, a part at a time. @returns False if the signal came first. */
    read: async (signal: AbortSignal): Promise<boolean> => {
      for (;;) {
        if (signal.aborted) return false;
        const entries = events.after(last, PART);
        for (const { type, body, at } of entries) {
          if (type !== 'news.new') continue;
          const known = object(body)?.ids;
          if (Array.isArray(known)) for (const id of known) ids.set(String(id), at);
        }
        last = entries.at(-1)?.number ?? last;
        const newest = entries.at(-1)?.at ?? 0;
        for (const [id, at] of ids) if (at < newest - DAY_MS) ids.delete(id);
        if (entries.length < PART) return true;
        await setImmediate();
      }
    },
  };
}

/**
 * Looks for new stories after each minute, and appends an event for each to the log. The log also says which ones were
 * reported: an event and its ids are one entry, so that a kill at any time neither loses nor repeats a story. Nothing is
 * sought while no Post arrives. After an error, which is logged, it tries again after the next minute.
 */
export function startReporting(deps: ReportingDeps) {
  const { id, source: find, news, events, write, now, timer, log } = deps;
  const stopped = new AbortController();
  const { signal } = stopped;
  const reported = reportedIn(events);
  /** The state of the source that was searched last, and until when. */
  let searched = { revision: -1, mark: '', until: 0 };

  const seek = async (): Promise<void> => {
    const at = now();
    const until = floorTo(at, 'minute');
    const source = find(id);
    if (!source) return;
    source.refresh();
    const { revision, mark, last } = source.index;
    if (last === null || last < at - REPORTED_MS) return;
    // Posts of the minute that was running then are new now.
    const isSame = revision === searched.revision && mark === searched.mark;
    if (isSame && last < searched.until) return;
    if (!(await reported.read(signal))) return;
    const stories = await news.fresh(id, reported.has, at, signal);
    if (!stories || signal.aborted) return;
    if (stories.length > 0) await write({ what: 'append', of: [stories.map(storyEvent)] });
    searched = { revision, mark, until };
  };

  let running: Promise<void> | null = null;
  let cancel = (): void => {};
  const wait = (): void => {
    if (signal.aborted) return;
    cancel = timer(MINUTE_MS - (now() % MINUTE_MS), () => {
      running = seek()
        .catch((error: unknown) => {
          const why = errorMessage(error);
          log(`New stories of the source ${id} were not reported: ${why}`);
        })
        .then(() => {
          running = null;
          wait();
        });
    });
  };
  wait();
  return {
    /** Resolves once nothing is being sought or reported. */
    rest: async (): Promise<void> => void (await running),
    /** Stops; resolves once nothing is being reported. */
    close: async (): Promise<void> => {
      stopped.abort();
      cancel();
      await running;
    },
  };
}
