/** Approximate width of a letter in the font, in its size: without a page, texts cannot be measured. */
function letterWidth(letter: string): number {
  if (/[\u2e80-\u9fff\uac00-\ud7ff\uff00-\uff60]|\p{Emoji_Presentation}/u.test(letter)) return 1.05;
  if (/[mwMW@%—]/.test(letter)) return 0.88;
  if (/[\p{Lu}\d]/u.test(letter)) return 0.66;
  return /[ijlftr.,:;'|!() ]/.test(letter) ? 0.34 : 0.57;
}

/** Approximate width of a text, px. */
export function textWidth(text: string, size: number): number {
  return [...text].reduce((sum, letter) => sum + letterWidth(letter), 0) * size;
}

/** Cuts a text off, with an ellipsis, if it is wider than a room in px. */
export function cutTo(text: string, size: number, room: number): string {
  if (textWidth(text, size) <= room) return text;
  let width = size;
  let end = 0;
  for (const letter of text) {
    width += letterWidth(letter) * size;
    if (width > room) break;
    end += letter.length;
  }
  return `${text.slice(0, end).trimEnd()}…`;
}

/**
 * Breaks texts into rows no wider than a room, at spaces; a word that is wider has a row of its own.
 *
 * @param room - px.
 */
export function wrappedRows(texts: readonly string[], size: number, room: number): string[] {
  return texts.flatMap((text) => {
    const rows = [''];
    for (const word of text.split(' ')) {
      const row = rows.at(-1)!;
      const longer = row === '' ? word : `${row} ${word}`;
      if (row === '' || textWidth(longer, size) <= room) rows[rows.length - 1] = longer;
      else rows.push(word);
    }
    return rows;
  });
}
