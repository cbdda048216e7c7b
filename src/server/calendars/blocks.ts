/** A calendar that cannot be used. The message is a sentence for its owner, with the line where there is one. */
export class CalendarError extends Error {
  override readonly name = 'CalendarError';
}

/** A component directly inside a calendar, such as an event or a time zone, or a property of the calendar itself. */
export interface Block {
  /** Its name in upper case, such as `VEVENT`. */
  readonly name: string;
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Its content lines, folded as they were. */
  readonly text: string;
}

function wrong(line: number, what: string): CalendarError {
  return new CalendarError(`Line ${line}: ${what}`);
}

/**
 * Divides the text of an iCalendar file (RFC 5545, section 3.4) into the parts of its calendars, so that each is parsed
 * alone: one with a mistake takes nothing else with it, and the mistake has a line.
 *
 * @throws {@link CalendarError} if the text is no calendar, or its components do not begin and end in pairs.
 */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  /** The open components, the outermost first. */
  const open: { readonly name: string; readonly line: number }[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  let from = 0;
  let last = 0;
  for (const [i, line] of lines.entries()) {
    // A folded line continues the one before; a blank one is none.
    if (line.trim() === '' || (open.length > 0 && /^[ \t]/.test(line))) continue;
    const [, mark = '', given = ''] = /^(BEGIN|END):(.*)$/i.exec(line) ?? [];
    const name = given.trim().toUpperCase();
    const begins = mark.toUpperCase() === 'BEGIN';
    if (open.length === 0 && !(begins && name === 'VCALENDAR')) {
      throw wrong(i + 1, 'This is not a calendar (.ics), which begins with BEGIN:VCALENDAR.');
    }
    if (begins) {
      if (open.length === 1) from = i;
      open.push({ name, line: i + 1 });
    } else if (mark !== '') {
      const ended = open.pop();
      if (ended?.name !== name) {
        throw wrong(
          i + 1,
          `END:${name} does not end ${ended?.name}, which begins in line ${ended?.line}.`,
        );
      }
      if (open.length === 1) {
        blocks.push({ name, line: from + 1, text: lines.slice(from, i + 1).join('\r\n') });
      }
    } else if (open.length === 1) {
      last = i;
      while (/^[ \t]/.test(lines[last + 1] ?? '')) last += 1;
      const property = /^[\w-]+/.exec(line)?.[0].toUpperCase() ?? '';
      blocks.push({ name: property, line: i + 1, text: lines.slice(i, last + 1).join('\r\n') });
    }
  }
  const unended = open.at(-1);
  if (unended) throw wrong(unended.line, `${unended.name} begins here and never ends.`);
  if (blocks.length === 0 && !/BEGIN:VCALENDAR/i.test(text)) {
    throw new CalendarError('The file is empty, so it is not a calendar (.ics).');
  }
  return blocks;
}
