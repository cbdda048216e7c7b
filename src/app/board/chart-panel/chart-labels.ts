import type { Form } from '#app/chart/draw/form.ts';

export const FORM_WORDS: Readonly<Record<Form, string>> = {
  line: 'Line',
  area: 'Area',
  stack: 'Stack',
  share: '100 %',
  bars: 'Bars',
  multiples: 'Small multiples',
};
