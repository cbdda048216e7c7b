/** A text by its words, in lower case, with a space around each. */
function words(text: string): string {
  return ` ${
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `;
}

/** Whether one of the texts contains the words of a keyword, in their order, without regard to case. */
export function hasKeyword(texts: readonly string[], keyword: string): boolean {
  const wanted = words(keyword);
  return wanted.trim() !== '' && texts.some((text) => words(text).includes(wanted));
}
