/** Distance to the edges of the window, and between a button and its surface, in px. */
const EDGE_PX = 8;
const GAP_PX = 4;

export type Align = 'start' | 'center' | 'end';

/** A rectangle of the window, in px. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The position and maximum height of a button's surface, in px of the window. */
interface Placement {
  readonly left: number;
  readonly top: number;
  readonly maxHeight: number;
}

/**
 * Below the button if there is room, otherwise on the side with more room; never beyond the window's edge.
 *
 * @param size - Size of the surface at its natural height.
 */
export function place(
  button: Box,
  size: { readonly width: number; readonly height: number },
  window: { readonly width: number; readonly height: number },
  align: Align,
): Placement {
  const offset = { start: 0, center: 0.5, end: 1 }[align] * (button.width - size.width);
  const most = window.width - size.width - EDGE_PX;
  const left = Math.max(EDGE_PX, Math.min(most, button.left + offset));
  const under = button.top + button.height + GAP_PX;
  const below = window.height - under - EDGE_PX;
  const above = button.top - GAP_PX - EDGE_PX;
  if (size.height <= below || below >= above) return { left, top: under, maxHeight: below };
  const height = Math.min(size.height, above);
  return { left, top: button.top - GAP_PX - height, maxHeight: above };
}

/** Positions an open surface at its button while the window changes. @returns A function that stops it. */
export function float(surface: HTMLElement, button: HTMLElement, align: Align): () => void {
  const put = (): void => {
    surface.style.maxHeight = '';
    const { left, top, maxHeight } = place(
      button.getBoundingClientRect(),
      { width: surface.offsetWidth, height: surface.scrollHeight + 2 },
      { width: document.documentElement.clientWidth, height: innerHeight },
      align,
    );
    Object.assign(surface.style, {
      left: `${left}px`,
      top: `${top}px`,
      maxHeight: `${maxHeight}px`,
    });
  };
  put();
  const sized = new ResizeObserver(put);
  sized.observe(surface);
  const events = new AbortController();
  addEventListener('resize', put, { signal: events.signal });
  // Placing it puts its own scrolling back to the start.
  const scrolled = ({ target }: Event): void => {
    if (!(target instanceof Node && surface.contains(target))) put();
  };
  addEventListener('scroll', scrolled, { signal: events.signal, capture: true, passive: true });
  return () => {
    sized.disconnect();
    events.abort();
  };
}
