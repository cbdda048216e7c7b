import type { ChartState } from './chart.svelte.ts';

/** Makes an element the chart's: pointer, wheel, pinch and keys go to its state, its size with them. */
export function gestures(chart: ChartState): (node: HTMLElement) => () => void {
  return (node) => {
    const x = (event: MouseEvent): number => event.clientX - node.getBoundingClientRect().left;
    const down = (event: PointerEvent): void => {
      if (event.pointerType !== 'touch') node.setPointerCapture(event.pointerId);
      chart.down(event, x(event));
    };
    const move = (event: PointerEvent): void => chart.move(event, x(event));
    const up = (event: PointerEvent): void => chart.up(event);
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      chart.wheel(event.deltaX, event.deltaY, event.shiftKey, x(event));
    };
    const key = (event: KeyboardEvent): void => {
      if (
        !event.ctrlKey &&
        !event.metaKey &&
        !event.altKey &&
        chart.key(event.key, event.shiftKey)
      ) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    const leave = (event: PointerEvent): void => chart.leave(event);
    const back = (): void => chart.back();
    node.tabIndex = 0;
    node.addEventListener('pointerdown', down);
    node.addEventListener('pointermove', move);
    node.addEventListener('pointerup', up);
    node.addEventListener('pointercancel', up);
    node.addEventListener('pointerleave', leave);
    node.addEventListener('wheel', wheel, { passive: false });
    node.addEventListener('keydown', key);
    node.addEventListener('dblclick', back);
    const sized = new ResizeObserver(([entry]) => {
      if (entry) [chart.width, chart.height] = [entry.contentRect.width, entry.contentRect.height];
    });
    sized.observe(node);
    return () => sized.disconnect();
  };
}
