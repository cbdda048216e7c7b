import { describe, expect, test } from 'vitest';
import { readYesNo } from '#core/import/yes-no.ts';

describe('a cell of yes or no', () => {
  test.each([
    ['English', 'Yes', 'No'],
    ['English', 'TRUE', 'FALSE'],
    ['German', 'Ja', 'Nein'],
    ['German', 'WAHR', 'FALSCH'],
    ['French', 'Oui', 'Non'],
    ['French', 'VRAI', 'FAUX'],
    ['Spanish', 'Sí', 'No'],
    ['Spanish', 'VERDADERO', 'FALSO'],
    ['Italian', 'sì', 'no'],
    ['Portuguese', 'SIM', 'NÃO'],
    ['Dutch', 'WAAR', 'ONWAAR'],
    ['Polish', 'PRAWDA', 'FAŁSZ'],
    ['Turkish', 'EVET', 'HAYIR'],
    ['Turkish', 'doğru', 'yanlış'],
    ['Russian', 'ИСТИНА', 'ЛОЖЬ'],
    ['Japanese', 'はい', 'いいえ'],
    ['signs', ' x ', ''],
    ['signs', '1', '0'],
  ])('is read in %s: %j, %j', (_, yes, no) => {
    expect([readYesNo(yes), readYesNo(no)]).toEqual([true, false]);
  });

  test.each(['perhaps', 'RT', '2', 'https://x.com'])('is neither if it is %j', (text) => {
    expect(readYesNo(text)).toBeNull();
  });
});
