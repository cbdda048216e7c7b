import { createRawSnippet, mount, unmount, type Snippet } from 'svelte';
import type { EventGround } from '#app/chart/chart-props.ts';
import { NEW_CAMPAIGN } from '#app/events/board-events.svelte.ts';
import { eventTime } from '#app/events/event-time.ts';
import EventRows from '#app/events/EventRows.svelte';
import { eventAxis } from '#app/events/layout.ts';
import { Formatter } from '#app/format/formatter.ts';
import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import { boardEvents } from '#tests/support/data/board-events.ts';

/** One in so many events is a campaign. */
const CAMPAIGNS = 5;

/** The row of events of a board under its chart: notes, and campaigns of one to four weeks, at irregular times. */
export function eventsUnder(count: number, { start, end }: Span): Snippet<[EventGround]> {
  const events = boardEvents();
  const step = (end - start) / count;
  events.notes.replace(
    Array.from({ length: count }, (_, i) => {
      const at = Math.floor(start + i * step + ((i * 7919) % 97) * (step / 97));
      const isCampaign = i % CAMPAIGNS === 0;
      return {
        id: `${i}`,
        start: at,
        end: isCampaign ? at + (7 + (i % 22)) * DAY_MS : i % 3 === 0 ? at + HOUR_MS : null,
        text: `Event ${i} of the year`,
        ...(isCampaign && { campaign: NEW_CAMPAIGN }),
      };
    }),
  );
  const format = new Formatter('en-GB');
  return createRawSnippet<[EventGround]>((ground) => ({
    render: () => '<div></div>',
    setup: (target) => {
      const axis = $derived(eventAxis(ground().left, ground().width, ground().window));
      const rows = mount(EventRows, {
        target,
        props: {
          events,
          get axis() {
            return axis;
          },
          get cursor() {
            return ground().cursor;
          },
          when: (from: number, to: number | null) => eventTime(format, from, to),
        },
      });
      return () => void unmount(rows);
    },
  }));
}
