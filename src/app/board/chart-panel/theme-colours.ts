import type { ThemeColours } from '#app/chart/draw/option.ts';

/** The theme's tokens as colours: a canvas cannot use custom properties. */
export function themeColours(dark: boolean): ThemeColours & { readonly dark: boolean } {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  return {
    dark,
    base: {
      ink: token('--ink'),
      quiet: token('--ink-3'),
      hairline: token('--line'),
      axis: token('--line-strong'),
      ground: token('--ground'),
      font: token('--font'),
      fontSize: Number.parseFloat(token('--label')),
    },
    series: Array.from({ length: 8 }, (_, i) => token(`--series-${i + 1}`)),
  };
}
