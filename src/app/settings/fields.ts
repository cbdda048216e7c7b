import * as v from 'valibot';
import { PlatformSettings } from '#contract/counts/platform.ts';
import type { Read } from './entry-form.svelte.ts';
import { numberText, typedNumber } from './parse-number.ts';

/** A number of the settings, typed by the user. */
export interface SettingField {
  /** Path in the settings: `limits.all.requests`. */
  readonly path: string;
  readonly label: string;
  readonly unit: string;
  /** Units of the settings per typed unit: 1,000 if seconds are typed and milliseconds stored. */
  readonly scale?: number;
  /** The meaning of an empty text; absent if a number is required. */
  readonly none?: string;
}

export const TERM_FIELDS = {
  prices: [
    { path: 'prices.recent', label: 'Recent counts, per request', unit: 'USD' },
    { path: 'prices.all', label: 'Archive counts, per request', unit: 'USD' },
    { path: 'prices.post', label: 'Search, per Post', unit: 'USD' },
    { path: 'prices.user', label: 'Search, per author', unit: 'USD' },
  ],
  limits: [
    { path: 'limits.recent.requests', label: 'Recent, requests', unit: 'requests' },
    {
      path: 'limits.recent.windowSeconds',
      label: 'Recent, in a window of',
      unit: 'minutes',
      scale: 60,
    },
    { path: 'limits.all.requests', label: 'Archive, requests', unit: 'requests' },
    {
      path: 'limits.all.windowSeconds',
      label: 'Archive, in a window of',
      unit: 'minutes',
      scale: 60,
    },
  ],
  pace: [
    {
      path: 'archiveSpacingMs',
      label: 'Between archive requests',
      unit: 'seconds',
      scale: 1000,
    },
    { path: 'settleHours', label: 'A day settles after', unit: 'hours' },
  ],
} as const satisfies Record<string, readonly SettingField[]>;

const NO_CAP = 'no cap';
export const CAP_FIELDS = {
  day: [
    { path: 'caps.day.money', label: 'Money per day', unit: 'USD', none: NO_CAP },
    { path: 'caps.day.requests', label: 'Requests per day', unit: 'requests', none: NO_CAP },
  ],
  month: [
    { path: 'caps.month.money', label: 'Money per month', unit: 'USD', none: NO_CAP },
    { path: 'caps.month.requests', label: 'Requests per month', unit: 'requests', none: NO_CAP },
  ],
} as const satisfies Record<string, readonly SettingField[]>;

type Tree = { [key: string]: Tree | number | string | null };

/** The texts of fields for given settings, by path. */
export function textsOf(
  fields: readonly SettingField[],
  settings: PlatformSettings,
  decimal: string,
): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ path, scale = 1 }) => {
      let at: Tree[string] | undefined = settings as unknown as Tree;
      for (const key of path.split('.')) at = (at as Tree)[key];
      return [path, typeof at === 'number' ? numberText(at / scale, decimal) : ''];
    }),
  );
}

/** Puts the texts of fields into settings. */
export function readTexts(
  fields: readonly SettingField[],
  texts: Readonly<Record<string, string | boolean>>,
  base: PlatformSettings,
  decimal: string,
): Read<string, PlatformSettings> {
  const wrong: Record<string, string> = {};
  const made = structuredClone(base) as unknown as Tree;
  for (const { path, scale = 1, none } of fields) {
    const text = String(texts[path] ?? '');
    let value: number | null = null;
    if (text.trim() !== '' || none === undefined) {
      const typed = typedNumber(text, decimal);
      if ('wrong' in typed) {
        wrong[path] = typed.wrong;
        continue;
      }
      // Scaling adds rounding errors beyond the decimals the user sees.
      const [exact, whole] = [typed.value * scale, Math.round(typed.value * scale)];
      value = scale !== 1 && Math.abs(exact - whole) < 1e-6 ? whole : Number(exact.toFixed(9));
    }
    const keys = path.split('.');
    const last = keys.pop() as string;
    let at = made;
    for (const key of keys) at = at[key] as Tree;
    at[last] = value;
  }
  const read = v.safeParse(PlatformSettings, made);
  for (const issue of read.issues ?? []) {
    const path = v.getDotPath(issue) ?? '';
    const field = fields.find((each) => each.path === path);
    wrong[path] ??= issueText(issue, field, decimal);
  }
  if (read.success && Object.keys(wrong).length === 0) return { order: read.output, wrong: {} };
  return { order: null, wrong };
}

/** The reason the contract rejects a number, in the typed unit. */
function issueText(
  issue: v.BaseIssue<unknown>,
  field: SettingField | undefined,
  decimal: string,
): string {
  const { scale = 1, unit = '' } = field ?? {};
  const bound = (): string => {
    const requirement = (issue as { requirement?: unknown }).requirement;
    return `${numberText(Math.ceil((Number(requirement) / scale) * 1000) / 1000, decimal)} ${unit}`.trim();
  };
  if (issue.type === 'min_value') return `At least ${bound()}.`;
  if (issue.type === 'max_value') return `At most ${bound()}.`;
  if (issue.type !== 'integer') return issue.message;
  if (scale === 1) return `Whole ${unit} only.`;
  return scale === 1000
    ? 'At most three digits after the decimal sign.'
    : `Only whole seconds: a multiple of ${numberText(1 / scale, decimal)} ${unit}.`;
}
