import type { BaseColours, ThemeColours } from './chart-picture.ts';

/** The colours of `tokens.css` for pictures, which have no style sheet and may have the other theme. */
const base = (colours: readonly [string, string, string, string, string]): BaseColours => {
  const [ink, quiet, hairline, axis, ground] = colours;
  const font = "'Inter Variable', system-ui, sans-serif";
  return { ink, quiet, hairline, axis, ground, font, fontSize: 11.5 };
};

export const PALETTES: Readonly<Record<'light' | 'dark', ThemeColours>> = {
  light: {
    base: base(['#17181c', '#6b6e78', '#e7e7ea', '#d6d6db', '#ffffff']),
    series: [
      '#0067b8',
      '#b84a08',
      '#08795a',
      '#a3338b',
      '#5a4300',
      '#7d2bf0',
      '#6d0f2e',
      '#46505b',
    ],
  },
  dark: {
    base: base(['#ececf1', '#8a8d9a', '#25262c', '#34363e', '#0f1013']),
    series: [
      '#5ab0f5',
      '#f08c4a',
      '#45c79c',
      '#e07cc8',
      '#f2d03c',
      '#8f70ff',
      '#ff5575',
      '#d9dde2',
    ],
  },
};
