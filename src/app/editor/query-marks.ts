import { StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';
import { beyond, colours } from './segments.ts';

/** A new limit, or the end of a composition, after which the text is coloured again. */
export const repaintEffect = StateEffect.define<number | null>();

interface Paint {
  readonly limit: number;
  readonly marks: DecorationSet;
}

const marks = {
  operator: Decoration.mark({ class: 'cm-operator' }),
  negated: Decoration.mark({ class: 'cm-negated' }),
  joint: Decoration.mark({ class: 'cm-joint' }),
  beyond: Decoration.mark({ class: 'cm-beyond' }),
};

function paint(text: string, limit: number): Paint {
  const found = colours(text).flatMap(({ at, length, kind }) =>
    kind === 'text' || kind === 'wrong' ? [] : [marks[kind].range(at, at + length)],
  );
  const over = beyond(text, limit);
  if (over !== null) found.push(marks.beyond.range(over, text.length));
  return { limit, marks: Decoration.set(found, true) };
}

/** The marks of a query, drawn by the editor. */
export function paintedMarks(limit: number): Extension {
  return StateField.define<Paint>({
    create: (state) => paint(state.doc.toString(), limit),
    update(value, change) {
      const request = change.effects.find((effect) => effect.is(repaintEffect));
      if (!change.docChanged && !request) return value;
      // Text that an input method is composing must not be split into pieces.
      if (change.isUserEvent('input.type.compose')) {
        return { limit: value.limit, marks: value.marks.map(change.changes) };
      }
      return paint(change.newDoc.toString(), request?.value ?? value.limit);
    },
    provide: (field) => EditorView.decorations.from(field, (value) => value.marks),
  });
}
