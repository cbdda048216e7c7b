import * as v from 'valibot';
import { ACCESS_LEVELS } from '#contract/accounts/access.ts';
import { USERNAME } from '#contract/accounts/accounts.ts';
import {
  AppName,
  AppSettings,
  CLIENT_TYPES,
  MOST_RULES,
  PERMISSIONS,
  type AppInfo,
  type AppOrder,
  type AppsAnswer,
} from '#contract/accounts/apps.ts';
import {
  BILL_DAYS,
  MOST_BILL_DAYS,
  type AppBill,
  type BillOrder,
} from '#contract/accounts/usage.ts';
import {
  billCsv,
  billRows,
  billSentences,
  callerText,
  isPriced,
} from '#contract/accounts/bill-text.ts';
import { dollarText, grouped, MICRO } from '#core/format/number-text.ts';
import { command } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import {
  actionOf,
  choiceOf,
  noMore,
  refuseForeign,
  UsageError,
  type Values,
} from '#server/cli/options.ts';

const ACTIONS = ['add', 'list', 'set', 'rotate', 'remove', 'bill'] as const;

/** The action that each option belongs to. */
const BELONGS = { csv: 'bill', days: 'bill' } as const;

/** The name of an app from the command line. @throws {@link UsageError} for an invalid one. */
export function appNameOf(text: string): string {
  const read = v.safeParse(AppName, text);
  if (read.success) return read.output;
  throw new UsageError(`The name of an app ${read.issues[0].message}.`);
}

/** Micro-dollars of an amount in dollars; null for `unlimited`, undefined if the option is absent. */
function moneyOf(values: Values, option: string): number | null | undefined {
  const text = values.last(option);
  if (text === undefined) return undefined;
  if (text === 'unlimited') return null;
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Math.round(Number(text) * MICRO);
  throw new UsageError(
    `--${option} ${text} is not an amount: expected dollars such as 25 or 0.5, or unlimited.`,
  );
}

/** A number of rules; null for `platform`, undefined if the option is absent. */
function rulesOf(values: Values): number | null | undefined {
  const text = values.last('stream-rules');
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
  const text = values.last('owner');
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  if (USERNAME.test(text)) return text;
  throw new UsageError(`--owner ${text} is not a username.`);
}

function callbacksOf(values: Values): string[] | undefined {
  if (!values.has('callback')) return undefined;
  return values.all('callback').filter((address) => address !== 'none');
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

/** An order about apps, or for the bill of one. */
type Ordered = AppOrder | ({ readonly action: 'bill'; readonly csv: boolean } & BillOrder);

/** The days of a bill. @throws {@link UsageError} for anything but 1 to 90. */
function daysOf(values: Values): number {
  const text = values.last('days') ?? String(BILL_DAYS);
  const days = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MOST_BILL_DAYS) return days;
  throw new UsageError(`--days ${text} is not a number of days: expected 1 to ${MOST_BILL_DAYS}.`);
}

function appOf([word, text, extra]: readonly string[], values: Values): Ordered {
  const action = actionOf('app', ACTIONS, word);
  refuseForeign(values, 'app', action, BELONGS);
  noMore(action === 'list' ? text : extra, 'app');
  if (action === 'list') return { action };
  // As with `groundswell token user`, `--name` names it too.
  const given = text ?? values.last('name');
  if (given === undefined) throw new UsageError(`Name the app: groundswell app ${action} NAME.`);
  const name = appNameOf(given);
  if (action === 'bill') {
    const csv = values.has('csv');
    if (csv && values.has('json')) throw new UsageError('Choose one of --csv and --json.');
    return { action, name, days: daysOf(values), csv };
  }
  if (action === 'remove' || action === 'rotate') return { action, name };
  return { action, name, settings: settingsOf(values) };
}

/** An amount in dollars; null for no limit. */
function dollars(micro: number | null): number | null {
  return micro === null ? null : micro / MICRO;
}

/** An app as printed: amounts are in dollars. */
function shown(app: AppInfo): object {
  return {
    ...app,
    credits: dollars(app.credits),
    spending_limit: dollars(app.spending_limit),
  };
}

function line({ id, name, access, client, owner }: AppInfo): string {
  const by = owner === null ? '' : `  @${owner}`;
  return `${name}  ${access}  ${client}  ${id}${by}\n`;
}

function secretLines({ apps: [app], secrets }: AppsAnswer): string {
  if (!app || !secrets) return '';
  const named = { api_key: app.api_key, ...secrets, client_id: app.client_id };
  const lines = Object.entries(named).map(([name, value]) => `${name}  ${value}\n`);
  return `${lines.join('')}The secrets cannot be shown again.\n`;
}

/** Lines of cells in columns: texts at the left, the numbers after the first so many at the right. */
function columnLines(rows: readonly (readonly string[])[], texts: number): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const aligned = (cell: string, i: number): string =>
    i < texts ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  return rows.map((row) => `${row.map(aligned).join('  ').trimEnd()}\n`).join('');
}

/** A bill as a table of its rows and the sentences about it. */
function billText(bill: AppBill, days: number): string {
  const amounts = ({ charged, price }: Pick<AppBill, 'charged' | 'price'>): string[] =>
    [charged, ...(isPriced(bill) ? [price] : [])].map((micro) => dollarText(micro, 'en-US'));
  const head = ['day', 'operation', 'account', 'requests', 'resources', 'charged'];
  const rows = billRows(bill).map((row) => {
    const counts = [grouped(row.requests), grouped(row.resources)];
    return [row.day, row.operation, callerText(row), ...counts, ...amounts(row)];
  });
  const table = [[...head, ...(isPriced(bill) ? ['pay per use'] : [])], ...rows];
  const money = (micro: number): string => dollarText(micro, 'en-US');
  const words = { count: grouped, money, day: (day: string) => day };
  const about = `${bill.name} (${bill.access}), ${days === 1 ? 'today' : `the last ${days} days`} (UTC): `;
  return `${about}${billSentences(bill, words).join('\n')}\n${rows.length > 0 ? `\n${columnLines(table, 3)}` : ''}`;
}

/** The change of an app, by the order's action. */
const DONE = { add: 'added', set: 'changed', rotate: 'given new secrets', remove: 'removed' };

export const appCommand = command({
  name: 'app',
  summary: {
    'groundswell app add|set|rotate|remove NAME, groundswell app list':
      'manages the apps that programs sign in with',
    'groundswell app bill NAME [--days N] [--csv]':
      'prints what an app paid, by day, operation and account',
  },
  about: `groundswell app add NAME [options]
groundswell app set NAME [options]
groundswell app rotate NAME
groundswell app remove NAME
groundswell app list
groundswell app bill NAME [--days N] [--csv]
Manages the apps of this service. Adding an app prints its secrets, which cannot be shown again. Rotating
replaces its API key and all of its secrets. Removing an app revokes its tokens.
A bill has what each operation cost on each UTC day, by the account that the app acted as, the credits that
remain, and when they run out at the mean of the last 7 days.`,
  column: 26,
  options: {
    '--name NAME': 'instead of NAME in front, for a name that begins with a minus',
    '--access LEVEL': `${ACCESS_LEVELS.join(', ')} (default: pay-per-use)`,
    '--client TYPE': `${CLIENT_TYPES.join(', ')} (default: confidential)`,
    '--callback ADDRESS': 'where a sign-in may return to; repeat it for several, none removes all',
    '--permission LEVEL': `${PERMISSIONS.join(', ')} (default: read-write); OAuth 1.0a only`,
    '--owner NAME': 'username of the account that owns the app, or none',
    '--credits AMOUNT': 'dollars to spend, or unlimited (default: unlimited)',
    '--spending-limit AMOUNT': 'dollars per month, or unlimited (default: unlimited)',
    '--early-access yes|no': 'whether the app has early access (default: no)',
    '--stream-rules N':
      'rules of its filtered stream under enterprise access, or platform (default: platform)',
    '--limits platform|off': `whether the platform's rate limits apply (default: platform)`,
    '--days N': `days of the bill, 1 to ${MOST_BILL_DAYS}, today included (default: ${BILL_DAYS}); bill only`,
    '--csv': 'prints the bill as CSV, in dollars; bill only',
    '--json': 'prints one object on one line; the amounts of a bill are in millionths of a dollar',
  },
  read: (words, values) => ({ app: appOf(words, values), json: values.has('json') }),
  run: async (deps, { data, app, json }) => {
    if (app.action === 'bill') {
      const { name, days, csv } = app;
      return await report(deps, data, 'bill', { name, days }, ({ bill }) => {
        if (csv) return billCsv(bill);
        return json ? `${JSON.stringify(bill)}\n` : billText(bill, days);
      });
    }
    const order: AppOrder = app;
    return await report(deps, data, 'app', order, (answer) => {
      if (json) {
        const apps = answer.apps.map(shown);
        const { secrets } = answer;
        return `${JSON.stringify(order.action === 'list' ? { apps } : { ...apps[0], ...secrets })}\n`;
      }
      if (order.action === 'list') return answer.apps.map(line).join('');
      return `${order.name} was ${DONE[order.action]}.\n${secretLines(answer)}`;
    });
  },
});
