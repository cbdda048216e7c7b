import type { Ast, Clause } from './ast.ts';
import { isRun, loneEmoji } from './content.ts';
import { OPERATORS, type Names, type Predicate } from './operators.ts';

/** The statement of one clause, and whether it is negated. */
type Fact = Predicate & { readonly negated: boolean };

/** A fact, or a group of the other kind than its parent. */
type Part = Fact | Group;

interface Group {
  readonly of: readonly Part[];
}

/** Words of the sentences themselves, quoted when a query contains them. */
const OWN_WORDS = new Set(
  'and or but not nor neither either no none that in by with from within about are have do say carry mention name repost quote'.split(
    ' ',
  ),
);

function quoted(value: string): string {
  const plain = isRun(value) && !OWN_WORDS.has(value.toLowerCase());
  return plain ? value : `“${value}”`;
}

/** The action or state of the Posts that a clause finds, without its negation. */
export function statementOf({ operator, value }: Clause, names: Names): Predicate {
  switch (operator) {
    case 'word':
      return { verb: 'say', object: quoted(value) };
    case 'phrase':
      if (loneEmoji(value) !== null) return { verb: 'carry', object: value };
      return { verb: 'say', object: `“${value}”` };
    case 'emoji':
      return { verb: 'carry', object: value };
    case 'hashtag':
      return { verb: 'carry', object: `#${value}` };
    case 'mention':
      return { verb: 'mention', object: `@${value}` };
    case 'cashtag':
      return { verb: 'carry', object: `$${value}` };
    default:
      return OPERATORS.get(operator)?.describe(value, names) ?? { verb: 'say', object: value };
  }
}

function fact(clause: Clause, names: Names): Fact {
  const { lack, ...rest } = statementOf(clause, names);
  if (clause.negated && lack !== undefined) return { ...rest, object: lack, negated: false };
  return { ...rest, negated: clause.negated };
}

/** The parts of a group, with nested groups of the same kind flattened. */
function partsOf(ast: Ast, kind: 'and' | 'or', names: Names): Part[] {
  if (ast.kind === 'clause') return [fact(ast, names)];
  if (ast.kind === kind) return ast.of.flatMap((part) => partsOf(part, kind, names));
  return [{ of: partsOf(ast, ast.kind, names) }];
}

function isFact(part: Part): part is Fact {
  return !('of' in part);
}

function isGroup(part: Part): part is Group {
  return 'of' in part;
}

function groupBy(facts: readonly Fact[], key: (fact: Fact) => string): Fact[][] {
  const groups = new Map<string, Fact[]>();
  for (const each of facts) groups.set(key(each), [...(groups.get(key(each)) ?? []), each]);
  return [...groups.values()];
}

/** `by @nasa or @esa or in English`: objects of one verb, those with the same lead grouped after it. */
function objects(facts: readonly Fact[], join: string): string {
  return groupBy(facts, ({ lead = '' }) => lead)
    .map((group) => {
      const lead = group[0]?.lead;
      const list = [...new Set(group.map(({ object }) => object))].join(join);
      return lead === undefined ? list : `${lead} ${list}`;
    })
    .join(join);
}

/** A phrase for each verb: `say cat and dog`, `carry #cat`. */
function phrases(facts: readonly Fact[], join: string): string[] {
  return groupBy(facts, ({ verb }) => verb).map(
    (group) => `${group[0]?.verb} ${objects(group, join)}`,
  );
}

function bare({ lead, object }: Fact): string {
  return lead === undefined ? object : `${lead} ${object}`;
}

function denial(fact: Fact): string {
  return fact.verb === 'are' ? `are not ${bare(fact)}` : `do not ${fact.verb} ${bare(fact)}`;
}

/** Denies every fact: `are not reposts`, `say neither cat nor dog`. */
function denials(facts: readonly Fact[]): string[] {
  return groupBy(facts, ({ verb }) => verb).map((group) => {
    const [only] = group;
    if (only && group.length === 1) return denial(only);
    return `${only?.verb} neither ${group.map(bare).join(' nor ')}`;
  });
}

/** `say cat or dog or carry #cat or (say fox and cow)`. */
function alternatives(parts: readonly Part[]): string[] {
  const facts = parts.filter(isFact);
  return [
    ...phrases(
      facts.filter(({ negated }) => !negated),
      ' or ',
    ),
    ...facts.filter(({ negated }) => negated).map(denial),
  ];
}

function inParentheses(part: Group, kind: 'and' | 'or'): string {
  return `(${kind === 'and' ? conjunction(part.of, false) : disjunction(part.of, false)})`;
}

/** @param open - Whether it is the whole sentence, whose groups need commas instead of parentheses. */
function disjunction(parts: readonly Part[], open: boolean): string {
  const groups = parts.filter(isGroup);
  const plain = alternatives(parts);
  if (!open || groups.length === 0) {
    return [...plain, ...groups.map((group) => inParentheses(group, 'and'))].join(' or ');
  }
  const nested = groups.map((group) => conjunction(group.of, false));
  return [...(plain.length > 0 ? [plain.join(' or ')] : []), ...nested].join(', or ');
}

/** `either summer or iced`, without the verb if it repeats the previous one. */
function choice(parts: readonly Part[], verb: string | undefined): string {
  const facts = parts.filter(isFact);
  const [first] = facts;
  const alike = facts.every((each) => !each.negated && each.verb === first?.verb);
  if (facts.length === parts.length && alike && first) {
    const list = `either ${objects(facts, ' or ')}`;
    return first.verb === verb ? list : `${first.verb} ${list}`;
  }
  return `either ${disjunction(parts, false)}`;
}

function conjunction(parts: readonly Part[], open: boolean): string {
  const facts = parts.filter(isFact);
  const wanted = facts.filter(({ negated }) => !negated);
  const unwanted = facts.filter(({ negated }) => negated);
  const groups = parts.filter(isGroup);
  const last = wanted.at(-1)?.verb;
  const only = wanted.every(({ verb }) => verb === last) ? last : undefined;
  const choices = groups.map((group, i) =>
    open ? choice(group.of, i === 0 ? only : undefined) : inParentheses(group, 'or'),
  );
  const positive = [...phrases(wanted, ' and '), ...choices];
  const text = positive.join(open && groups.length > 1 ? ', and ' : ' and ');
  if (unwanted.length === 0) return text;
  const negative = denials(unwanted);
  if (positive.length === 0) return negative.join(' and ');
  const same = unwanted.filter(({ verb }) => verb === only);
  if (open && groups.length === 0 && only === 'say' && same.length > 0) {
    const rest = denials(unwanted.filter(({ verb }) => verb !== only));
    const word = same.length === 1 ? 'not' : 'neither';
    return [`${text} but ${word} ${same.map(bare).join(' nor ')}`, ...rest].join(' and ');
  }
  return `${text}${groups.length > 0 && open ? ',' : ''} but ${negative.join(' and ')}`;
}

/** `in English`, `with links`, `by @nasa or @esa`: what may directly follow “Posts”. */
function headOf(part: Part): { rank: number; text: string; verb: string } | null {
  const facts = isFact(part) ? [part] : part.of.filter(isFact);
  const [first] = facts;
  if (!first || (!isFact(part) && facts.length < part.of.length)) return null;
  const fits = ({ verb, lead, negated }: Fact): boolean =>
    !negated && verb === first.verb && (verb === 'have' || (verb === 'are' && lead !== undefined));
  if (!facts.every(fits)) return null;
  const text = objects(facts, ' or ');
  const rank = first.verb === 'have' ? 2 : first.lead === 'in' ? 0 : 1;
  return { rank, text: first.verb === 'have' ? `with ${text}` : text, verb: first.verb };
}

/** Parts of the head in order; if one of several contains an `or`, commas separate them. */
function head(parts: readonly Part[]): string {
  const list = parts
    .map((part) => ({ part, head: headOf(part) }))
    .sort((a, b) => (a.head?.rank ?? 0) - (b.head?.rank ?? 0));
  const commas = list.length > 1 && list.some(({ part }) => !isFact(part));
  const texts = list.map(({ head }) => head?.text ?? '');
  if (commas) return `${texts.join(', ')},`;
  return texts
    .map((text, i) =>
      i > 0 && text.startsWith('with ') && texts[i - 1]?.startsWith('with ')
        ? text.replace('with', 'and')
        : text,
    )
    .join(' ');
}

/**
 * Describes a query in a sentence, for readers who do not know its language: `matcha -recipe lang:en`
 * is `Posts in English that say matcha but not recipe`.
 *
 * Different queries give different sentences: alternatives follow “either”, are set off by commas, or,
 * deeper inside, by parentheses.
 *
 * @param options.languageName - Name of a BCP 47 code in the reader's language; the code by default.
 * @param options.countryName - Name of an ISO 3166 code; the code by default.
 */
export function explain(
  ast: Ast,
  options: {
    readonly languageName?: (code: string) => string | undefined;
    readonly countryName?: (code: string) => string | undefined;
  } = {},
): string {
  const names: Names = {
    language: (code) => options.languageName?.(code) ?? `the language ${code}`,
    country: (code) => options.countryName?.(code) ?? `the country ${code}`,
  };
  if (ast.kind === 'or') {
    const of = partsOf(ast, 'or', names);
    const whole = headOf({ of });
    return `Posts ${whole ? whole.text : `that ${disjunction(of, true)}`}`;
  }
  const parts = partsOf(ast, 'and', names);
  const leading = parts.filter((part) => headOf(part) !== null);
  const rest = parts.filter((part) => headOf(part) === null);
  const start = leading.length > 0 ? `Posts ${head(leading)}` : 'Posts';
  if (rest.length === 0) return start.replace(/,$/, '');
  return `${start} that ${conjunction(rest, true)}`;
}
