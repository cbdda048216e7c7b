import * as v from 'valibot';
import { USERNAME } from '#contract/accounts/accounts.ts';
import {
  AppName,
  AppSettings,
  CLIENT_TYPES,
  MOST_RULES,
  PERMISSIONS,
  type AppOrder,
} from '#contract/accounts/apps.ts';
import { ACCESS_LEVELS } from '#contract/accounts/access.ts';
import { SCOPES, type Scope } from '#contract/accounts/scopes.ts';
import { choiceOf, didYouMean, UsageError, type Values } from './options.ts';

const ACTIONS = ['add', 'list', 'set', 'rotate', 'remove'] as const;

const MICRO = 1_000_000;

/** The name of an app from the command line. @throws {@link UsageError} for an invalid one. */
export function appNameOf(text: string): string {
  const read = v.safeParse(AppName, text);
  if (read.success) return read.output;
  throw new UsageError(`The name of an app ${read.issues[0].message}.`);
}

/** Scopes separated by commas or spaces; null if none are given. @throws {@link UsageError} for an unknown one. */
export function scopesOf(values: Values): Scope[] | null {
  const text = values.get('scopes')?.at(-1);
  if (text === undefined) return null;
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  if (names.length === 0) throw new UsageError('--scopes names no scope.');
  return names.map((name) => {
    const scope = SCOPES.find((one) => one === name);
    if (scope !== undefined) return scope;
    throw new UsageError(`${name} is not a scope.${didYouMean(name, SCOPES)}`);
  });
}

/** Micro-dollars of an amount in dollars; null for `unlimited`, undefined if the option is absent. */
function moneyOf(values: Values, option: string): number | null | undefined {
  const text = values.get(option)?.at(-1);
  if (text === undefined) return undefined;
  if (text === 'unlimited') return null;
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Math.round(Number(text) * MICRO);
  throw new UsageError(
    `--${option} ${text} is not an amount: expected dollars such as 25 or 0.5, or unlimited.`,
  );
}

/** A number of rules; null for `platform`, undefined if the option is absent. */
function rulesOf(values: Values): number | null | undefined {
  const text = values.get('stream-rules')?.at(-1);
  if (text === undefined) return undefined;
  if (text === 'platform') return null;
  const read = v.safeParse(
    AppSettings.entries.stream_rules,
    /^\d{1,9}$/.test(text) ? Number(text) : NaN,
  );
  if (read.success) return read.output;
  throw new UsageError(
    `--stream-rules ${text} is not a number of rules: expected 1 to ${MOST_RULES}, or platform.`,
  );
}

function ownerOf(values: Values): string | null | undefined {
  const text = values.get('owner')?.at(-1);
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  if (USERNAME.test(text)) return text;
  throw new UsageError(`--owner ${text} is not a username.`);
}

function callbacksOf(values: Values): string[] | undefined {
  const given = values.get('callback');
  return given?.filter((address) => address !== 'none');
}

/** The value of a yes-no option; undefined if it is absent. */
function flagOf(values: Values, option: string, yes: string, no: string): boolean | undefined {
  const chosen = choiceOf(values, option, [yes, no]);
  return chosen === null ? undefined : chosen === yes;
}

/** The settings that the options set. @throws {@link UsageError} for an invalid value. */
function settingsOf(values: Values): Partial<AppSettings> {
  const settings = {
    access: choiceOf(values, 'access', ACCESS_LEVELS) ?? undefined,
    client: choiceOf(values, 'client', CLIENT_TYPES) ?? undefined,
    callbacks: callbacksOf(values),
    permission: choiceOf(values, 'permission', PERMISSIONS) ?? undefined,
    owner: ownerOf(values),
    credits: moneyOf(values, 'credits'),
    spending_limit: moneyOf(values, 'spending-limit'),
    stream_rules: rulesOf(values),
    early_access: flagOf(values, 'early-access', 'yes', 'no'),
    limited: flagOf(values, 'limits', 'platform', 'off'),
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const read = v.safeParse(v.partial(AppSettings), Object.fromEntries(given));
  if (read.success) return read.output as Partial<AppSettings>;
  const [issue] = read.issues;
  throw new UsageError(`--callback ${issue.message}.`);
}

/**
 * Reads `groundswell app …`.
 *
 * @throws {@link UsageError} for an unknown action, a missing or invalid name, and invalid options.
 */
export function appOf([word, text, extra]: readonly string[], values: Values): AppOrder {
  const action = ACTIONS.find((one) => one === word);
  if (action === undefined) {
    throw new UsageError(`Say what to do: groundswell app ${ACTIONS.join(', ')}.`);
  }
  const more = action === 'list' ? text : extra;
  if (more !== undefined) throw new UsageError(`Unexpected ${more}: see groundswell app --help.`);
  if (action === 'list') return { action };
  // As with `groundswell token user`, `--name` names it too.
  const given = text ?? values.get('name')?.at(-1);
  if (given === undefined) throw new UsageError(`Name the app: groundswell app ${action} NAME.`);
  const name = appNameOf(given);
  if (action === 'remove' || action === 'rotate') return { action, name };
  return { action, name, settings: settingsOf(values) };
}
