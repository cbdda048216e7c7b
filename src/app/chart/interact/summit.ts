import type { ChartState } from '#app/chart/chart.svelte.ts';

/** The highest point of the lines in view, px; none if nothing is drawn. */
export function summitInView(
  chart: Pick<ChartState, 'figure' | 'x' | 'y'>,
): readonly { readonly x: number; readonly y: number }[] {
  const summits = [...chart.figure.parts].flatMap(([id, { line }]) => {
    let highest = -1;
    for (let i = 1; i < line.length; i += 2) {
      if ((line[i] ?? NaN) > (line[highest] ?? -Infinity)) highest = i;
    }
    const [at, value] = [line[highest - 1], line[highest]];
    return at === undefined || value === undefined
      ? []
      : [{ x: chart.x(at), y: chart.y(value, id) }];
  });
  return summits.toSorted((a, b) => a.y - b.y).slice(0, 1);
}
