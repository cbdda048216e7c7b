/** A checked value, or what is wrong with it, with a fix if there is a plain one. */
export type Verdict =
  | { readonly ok: true; readonly value: string }
  | {
      readonly ok: false;
      readonly message: string;
      readonly fix?: string;
      /** Position of the fault in the value, if it is a single character. */
      readonly offset?: number;
    };

/** Recorded from the platform (platform-facts 2.6). */
export function invalidOperator(name: string): string {
  return `Reference to invalid operator '${name}'. Operator is not available in current product or product packaging. Please refer to complete available operator list at http://t.co/operators.`;
}

/**
 * A username has at most 15 characters today and had up to 20 in the first years; a numeric id has at
 * most 19 digits (platform-facts 1.7: `^[0-9]{1,19}$`), so one pattern fits both.
 */
const USER = /^[a-z0-9_]{1,20}$/i;

export function user(value: string): Verdict {
  if (USER.test(value)) return { ok: true, value };
  const bare = value.replace(/^[@\uff20]/, '');
  return {
    ok: false,
    message: `Invalid username or user id '${value}': expected letters, digits and underscores, without @`,
    ...(bare !== value && USER.test(bare) ? { fix: bare } : {}),
  };
}

export function account(value: string): string {
  return /^[0-9]+$/.test(value) ? `account ${value}` : `@${value}`;
}

export function language(value: string): Verdict {
  if (/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(value)) return { ok: true, value };
  return {
    ok: false,
    message: `Invalid language '${value}': expected one BCP 47 code such as en, pt or zh-TW`,
  };
}

export function postId(value: string): Verdict {
  if (/^[0-9]{1,19}$/.test(value)) return { ok: true, value };
  return { ok: false, message: `Invalid id '${value}': expected 1 to 19 digits` };
}

/** A word, or a quoted text that contains one. */
export function wording(name: string, expected: string) {
  return (value: string, quoted: boolean): Verdict => {
    const odd = /[^\p{L}\p{N}\p{M}_]/u.exec(value);
    if (!/[\p{L}\p{N}_]/u.test(value)) {
      return { ok: false, message: `Invalid ${name} '${value}': expected ${expected}` };
    }
    if (odd === null || quoted) return { ok: true, value };
    return {
      ok: false,
      message: `no viable alternative at character '${odd[0]}'`,
      fix: `"${value}"`,
      offset: odd.index,
    };
  };
}

/** Text that is always quoted. */
export function quotedText(value: string, quoted: boolean): Verdict {
  const sound = /[\p{L}\p{N}_]/u.test(value);
  if (quoted && sound) return { ok: true, value };
  return {
    ok: false,
    message: `Invalid entity '${value}': expected a name in quotes`,
    ...(sound ? { fix: `"${value}"` } : {}),
  };
}

export function annotation(value: string): Verdict {
  if (/^[0-9]{1,19}\.[0-9]{1,19}$/.test(value)) return { ok: true, value };
  const message = `Invalid context '${value}': expected the ids of a domain and an entity, such as 131.1220701888179359745`;
  return { ok: false, message };
}

export function country(value: string): Verdict {
  if (/^[a-z]{2}$/i.test(value)) return { ok: true, value };
  const message = `Invalid country '${value}': expected an ISO 3166 code of two letters such as GB`;
  return { ok: false, message };
}

/** A number of likes, replies or reposts; leading zeros are dropped. */
export function amount(value: string): Verdict {
  if (/^[0-9]{1,12}$/.test(value)) return { ok: true, value: String(Number(value)) };
  const fix = /^[0-9][0-9,._]*$/.test(value) ? value.replaceAll(/[,._]/g, '') : '';
  return {
    ok: false,
    message: `Invalid number '${value}': expected a whole number such as 100`,
    ...(/^[0-9]{1,12}$/.test(fix) && !/[._]/.test(value) ? { fix } : {}),
  };
}

/** A value from a fixed list; the list maps each spelling to its canonical name. */
export function choice(name: string, spellings: Readonly<Record<string, string>>) {
  const known = new Map(Object.entries(spellings));
  return (value: string): Verdict => {
    const found = known.get(value.toLowerCase());
    if (found !== undefined) return { ok: true, value: found };
    return { ok: false, message: invalidOperator(`${name}:${value}`) };
  };
}
