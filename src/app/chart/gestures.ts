import type { ChartState } from './chart.svelte.ts';

/**
 * Attachment that sends an element's pointer, wheel, pinch and key events and its size to the chart. Moves and wheel
 * events are processed once per animation frame, however many the device sends.
 */
export function gestures(chart: ChartState): (node: HTMLElement) => () => void {
  return (node) => {
    const x = (event: MouseEvent): number => event.clientX - node.getBoundingClientRect().left;
    let frame = 0;
    const moves = new Map<number, PointerEvent>();
    let turned: { x: number; y: number; shift: boolean; at: number } | null = null;
    const flush = (): void => {
      cancelAnimationFrame(frame);
      frame = 0;
      for (const event of moves.values()) chart.pointers.move(event, x(event));
      moves.clear();
      const turn = turned;
      turned = null;
      if (turn) chart.wheel(turn.x, turn.y, turn.shift, turn.at);
    };
    const soon = (): void => {
      if (frame === 0) frame = requestAnimationFrame(flush);
    };
    const listen = <Kind extends keyof HTMLElementEventMap>(
      kind: Kind,
      on: (event: HTMLElementEventMap[Kind]) => void,
    ): void => node.addEventListener(kind, on, { passive: kind !== 'wheel' && kind !== 'keydown' });
    listen('pointerdown', (event) => {
      flush();
      if (event.pointerType !== 'touch') node.setPointerCapture(event.pointerId);
      chart.down(event, x(event));
    });
    listen('pointermove', (event) => {
      moves.set(event.pointerId, event);
      soon();
    });
    listen('pointerup', (event) => {
      flush();
      chart.pointers.up(event, x(event));
    });
    listen('pointercancel', (event) => {
      flush();
      chart.pointers.cancel(event);
    });
    listen('pointerleave', (event) => {
      flush();
      chart.leave(event);
    });
    listen('wheel', (event) => {
      event.preventDefault();
      turned = {
        x: (turned?.x ?? 0) + event.deltaX,
        y: (turned?.y ?? 0) + event.deltaY,
        shift: event.shiftKey,
        at: x(event),
      };
      soon();
    });
    listen('keydown', (event) => {
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.target !== node || !plain || !chart.key(event.key, event.shiftKey)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    listen('blur', () => (chart.read = !chart.byKeys));
    listen('focus', () => (chart.read = true));
    listen('dblclick', () => chart.doubled());
    node.tabIndex = 0;
    const sized = new ResizeObserver(([entry]) => {
      if (entry) [chart.width, chart.height] = [entry.contentRect.width, entry.contentRect.height];
    });
    sized.observe(node);
    return () => {
      cancelAnimationFrame(frame);
      sized.disconnect();
    };
  };
}
