import type { Ast, Clause } from './ast.ts';
import { statementOf } from './explain.ts';
import type { Names } from './operators.ts';

/** Longest list of objects in a sentence. */
const MAX_LISTED = 4;

const THIRD: Readonly<Record<string, string>> = { are: 'is', have: 'has', carry: 'carries' };

function third(verb: string): string {
  const [first = '', ...rest] = verb.split(' ');
  return [THIRD[first] ?? `${first}s`, ...rest].join(' ');
}

function listed(objects: readonly string[], join: 'and' | 'or'): string {
  const shown = objects.slice(0, objects.length > MAX_LISTED ? MAX_LISTED - 1 : MAX_LISTED);
  const more = objects.length - shown.length;
  const all = more > 0 ? [...shown, `${more} more`] : shown;
  return new Intl.ListFormat('en-GB', {
    type: join === 'and' ? 'conjunction' : 'disjunction',
  }).format(all);
}

/** A clause about a single Post, by its verb in the third person; without its negation. */
function factOf(clause: Clause, names: Names): { verb: string; object: string; lack?: string } {
  if (clause.operator === 'lang') {
    return { verb: 'are', object: `detected as ${names.language(clause.value)}` };
  }
  // A has:links is open only without a link, and media count as one.
  if (clause.operator === 'has' && clause.value === 'links') {
    return { verb: 'have', object: 'a link or media', lack: 'neither link nor media' };
  }
  const { verb, lead, object, single = object, lack } = statementOf(clause, names);
  return {
    verb,
    object: lead === undefined ? single : `${lead} ${single}`,
    ...(lack !== undefined && { lack }),
  };
}

/** `says matcha`, `is not by @nasa`: facts of the same verb share it. */
function sentences(
  clauses: readonly Clause[],
  isTrue: (clause: Clause) => boolean,
  names: Names,
): string[] {
  const groups = new Map<string, { verb: string; holds: boolean; objects: Set<string> }>();
  for (const clause of clauses) {
    const { verb, object, lack } = factOf(clause, names);
    const lacks = !isTrue(clause) && lack !== undefined;
    const holds = lacks || isTrue(clause);
    const group = groups.get(`${verb} ${holds}`) ?? { verb, holds, objects: new Set() };
    group.objects.add(lacks ? lack : object);
    groups.set(`${verb} ${holds}`, group);
  }
  return [...groups.values()].map(({ verb, holds, objects }) => {
    const list = listed([...objects], holds ? 'and' : 'or');
    if (holds) return `${third(verb)} ${list}`;
    return verb === 'are' ? `is not ${list}` : `does not ${verb} ${list}`;
  });
}

/** The facts of a draft that keep a query from counting it: `says recipe`, `does not say matcha or latte`. */
export function failureWords(
  excluded: readonly Clause[],
  missing: readonly Clause[],
  names: Names,
): string {
  const facts = [
    ...sentences(excluded, () => true, names),
    ...sentences(missing, () => false, names),
  ];
  return facts.join(' and ');
}

/** The facts that a draft lacks so far for a query to count it: `is detected as English and has at least 10 likes`. */
export function conditionWords(open: Ast, names: Names, isInner = false): string {
  if (open.kind === 'clause') return sentences([open], ({ negated }) => !negated, names).join('');
  const parts = open.of.map((part) => conditionWords(part, names, part.kind !== 'clause'));
  const text = parts.join(open.kind === 'and' ? ' and ' : ' or ');
  return isInner ? `(${text})` : text;
}
