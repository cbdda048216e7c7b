import { forecastStep } from '#app/chart/forecast/forecast-tip.ts';
import type { ChartState } from '#app/chart/chart.svelte.ts';
import { Pointers } from './pointers.ts';

/** Passes the events of an element to the chart: pointer moves and wheel turns at most once per animation frame. */
export function gestures(chart: ChartState): (node: HTMLElement) => () => void {
  return (node) => {
    const x = (event: MouseEvent): number => event.clientX - node.getBoundingClientRect().left;
    const pointers = new Pointers(chart);
    const ended = new AbortController();
    let request = 0;
    const moves = new Map<number, PointerEvent>();
    let turned: { x: number; y: number; shift: boolean; at: number } | null = null;
    const flush = (): void => {
      cancelAnimationFrame(request);
      request = 0;
      for (const event of moves.values()) pointers.move(event, x(event));
      moves.clear();
      const turn = turned;
      turned = null;
      if (turn) chart.wheel(turn.x, turn.y, turn.shift, turn.at);
    };
    const soon = (): void => {
      if (request === 0) request = requestAnimationFrame(flush);
    };
    const listen = <Kind extends keyof HTMLElementEventMap>(
      kind: Kind,
      on: (event: HTMLElementEventMap[Kind]) => void,
    ): void =>
      node.addEventListener(kind, on, {
        passive: kind !== 'wheel' && kind !== 'keydown',
        signal: ended.signal,
      });
    listen('pointerdown', (event) => {
      flush();
      if (event.pointerType !== 'touch') node.setPointerCapture(event.pointerId);
      // The first tap of a finger moves the cursor; a second one nearby selects.
      pointers.down(event, x(event), event.pointerType !== 'touch' || chart.isNear(x(event)));
    });
    listen('pointermove', (event) => {
      moves.set(event.pointerId, event);
      soon();
    });
    listen('pointerup', (event) => {
      flush();
      pointers.up(event, x(event));
    });
    listen('pointercancel', (event) => {
      flush();
      pointers.cancel(event);
    });
    listen('pointerleave', (event) => {
      flush();
      chart.leave(event);
    });
    listen('wheel', (event) => {
      // Scrolls to other rows.
      const isVertical = Math.abs(event.deltaY) > Math.abs(event.deltaX);
      if (chart.isTall && isVertical && !event.shiftKey && !event.ctrlKey) return;
      event.preventDefault();
      turned = {
        x: (turned?.x ?? 0) + event.deltaX,
        y: (turned?.y ?? 0) + event.deltaY,
        shift: event.shiftKey,
        at: x(event),
      };
      soon();
    });
    /** Moves the cursor among the buckets of a forecast, which are no buckets of the chart. */
    const stepInForecast = ({ key, shiftKey }: KeyboardEvent): boolean => {
      const by = shiftKey ? 0 : key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      const to = by !== 0 && chart.analysis && forecastStep(chart.analysis, chart.cursor, by);
      if (typeof to !== 'number') return false;
      chart.byKeys = true;
      chart.cursor = to;
      return true;
    };
    listen('keydown', (event) => {
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.target !== node || !plain) return;
      if (!stepInForecast(event) && !chart.key(event.key, event.shiftKey)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    listen('blur', () => (chart.read = !chart.byKeys));
    listen('focus', () => (chart.read = true));
    listen('dblclick', () => chart.doubled());
    node.tabIndex = 0;
    return () => {
      ended.abort();
      cancelAnimationFrame(request);
    };
  };
}
