import type { ThemeColours } from '#app/chart/draw/chart-picture.ts';

/** The theme's tokens as colours: a canvas cannot use custom properties, nor the names of the system's colours. */
export function themeColours(dark: boolean): ThemeColours & { readonly dark: boolean } {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  const probe = document.createElement('i');
  probe.style.setProperty('forced-color-adjust', 'none');
  document.body.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const base = {
    ink: colour('--ink'),
    quiet: colour('--ink-3'),
    hairline: colour('--line'),
    axis: colour('--line-strong'),
    ground: colour('--ground'),
    font: token('--font'),
    fontSize: Number.parseFloat(token('--label')),
  };
  probe.remove();
  return {
    dark,
    base,
    series: Array.from({ length: 8 }, (_, i) => token(`--series-${i + 1}`)),
  };
}
