import type { Form } from '#app/chart/form.ts';

export const FORM_WORDS: Readonly<Record<Form, string>> = {
  line: 'Line',
  area: 'Area',
  stack: 'Stack',
  share: '100 %',
  bars: 'Bars',
};

/** The earlier period, as in “compared with the previous period”. */
export const AGAINST_WORDS = {
  previous: 'the previous period',
  weekdays: 'the same weekdays earlier',
  year: 'the year before',
} as const;
