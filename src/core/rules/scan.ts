import type { Diagnostic } from '#core/query/ast.ts';
import { scan, type Lexeme, type Lexemes } from '#core/query/scan.ts';
import { invalidOperator } from '#core/query/values.ts';
import { NEAR } from './operators.ts';

const DISTANCE = /~([0-9]{1,9})(?=$|[\s()])/y;
const ALL_ENTITIES = /(?:^|[\s(])(-?)(context):([0-9]{1,19}\.\*)$/i;
const WORD_END = /^(?:$|[\s()])/;

/** Puts the distance that begins at `at` onto the phrase before it. Returns false if there is none. */
function setDistance(lexemes: Lexeme[], text: string, at: number): boolean {
  const of = lexemes.findIndex((each) => each.at + each.length === at);
  const phrase = lexemes[of];
  DISTANCE.lastIndex = at;
  const [written] = DISTANCE.exec(text) ?? [];
  if (phrase?.kind !== 'clause' || !phrase.quoted || phrase.lead !== '' || !written) return false;
  const [value, length] = [phrase.value + written, phrase.length + written.length];
  lexemes[of] = { ...phrase, lead: NEAR, value, length };
  return true;
}

/** Adds the `context:47.*` whose asterisk is at `at`. Returns false if it is another asterisk. */
function addContext(lexemes: Lexeme[], text: string, at: number): boolean {
  const end = at + 1;
  const found = ALL_ENTITIES.exec(text.slice(Math.max(0, at - 40), end));
  if (!found || !WORD_END.test(text.slice(end, end + 1))) return false;
  const [, minus = '', lead = '', value = ''] = found;
  const valueAt = end - value.length;
  const leadAt = valueAt - lead.length - 1;
  const start = leadAt - minus.length;
  const later = lexemes.findIndex((each) => each.at > start);
  lexemes.splice(later < 0 ? lexemes.length : later, 0, {
    kind: 'clause',
    negated: minus !== '',
    lead: lead.toLowerCase(),
    value,
    quoted: false,
    leadAt,
    valueAt,
    at: start,
    length: end - start,
  });
  return true;
}

/** Cuts a rule into lexemes, also `"a b"~N` and `context:47.*`, which search and counts do not have. */
export function scanRule(text: string): Lexemes {
  const { lexemes, diagnostics } = scan(text);
  const found = [...lexemes];
  const wrong = diagnostics.filter(({ rule, at }) => {
    if (rule !== 'stray-character') return true;
    if (text[at] === NEAR) return !setDistance(found, text, at);
    return text[at] !== '*' || !addContext(found, text, at);
  });
  return { lexemes: found, diagnostics: wrong };
}

/** The fault of an `AND` that has no clause on one side. */
function lonelyAnd({ at, length }: Lexeme): Diagnostic {
  const message = "no viable alternative at input 'AND'";
  return { at, length, rule: 'missing-clause', message, fix: '' };
}

/** The fault of a hashtag or cashtag: of the signs, powerstream has only `@`. */
function absentSign({ lead, leadAt, at, length }: Extract<Lexeme, { kind: 'clause' }>): Diagnostic {
  const place = { at: leadAt, length: at + length - leadAt };
  return { ...place, rule: 'absent-sign', message: invalidOperator(lead) };
}

/** Cuts a rule of powerstream into lexemes. `AND` joins two clauses, as a space does. */
export function scanPowerRule(text: string): Lexemes {
  const { lexemes, diagnostics } = scan(text);
  const wrong: Diagnostic[] = [...diagnostics];
  const found = lexemes.filter((each, i) => {
    if (each.kind !== 'clause') return true;
    if (each.lead === '#' || each.lead === '$') wrong.push(absentSign(each));
    const isAnd = each.lead === '' && !each.quoted && !each.negated && each.value === 'AND';
    if (!isAnd) return true;
    const [before, after] = [lexemes[i - 1]?.kind, lexemes[i + 1]?.kind];
    const joins =
      (before === 'clause' || before === 'close') && (after === 'clause' || after === 'open');
    if (!joins) wrong.push(lonelyAnd(each));
    return false;
  });
  return { lexemes: found, diagnostics: wrong };
}
