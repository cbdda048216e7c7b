import type { FindingPart, Lead } from '#core/finding/finding-figures.ts';

/** A piece of a line: plain if it leads nowhere. */
export interface Piece {
  readonly text: string;
  readonly lead: Lead | null;
}

/** The longest text between two figures of one button, such as `, ` or ` to `. */
const JOINT = 4;

const targetOf = (lead: Lead): string => (lead.to === 'row' ? `row ${lead.topic}` : lead.key);

/**
 * The lines of a finding in pieces. Neighbours that lead to the same place are one button, and later figures that lead
 * there are plain.
 */
export function linePieces(...lines: readonly (readonly FindingPart[])[]): Piece[][] {
  const led = new Set<string>();
  return lines.map((parts) => {
    const pieces: Piece[] = [];
    for (const part of parts) {
      if (typeof part === 'string') {
        pieces.push({ text: part, lead: null });
        continue;
      }
      const target = targetOf(part.lead);
      const [button, joint] = pieces.slice(-2);
      if (button?.lead && joint && targetOf(button.lead) === target && joint.text.length <= JOINT) {
        pieces.splice(-2, 2, { ...button, text: button.text + joint.text + part.text });
      } else {
        pieces.push({ text: part.text, lead: led.has(target) ? null : part.lead });
      }
      led.add(target);
    }
    return pieces;
  });
}
