import { ACCESS_LEVELS } from '#contract/accounts/access.ts';
import { scopeNamed, SCOPES, type Scope } from '#contract/accounts/scopes.ts';
import type { JobOutcome, TokenOrder } from '#contract/control/control.ts';
import { command } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import {
  choiceOf,
  didYouMean,
  noMore,
  refuseForeign,
  usernameOf,
  UsageError,
  type Values,
} from '#server/cli/options.ts';
import { appNameOf } from './app.ts';

const KINDS = ['app', 'user'] as const;

/** The kind that each option belongs to. */
const OWNERS = { name: 'user', app: 'user', scopes: 'user', oauth1: 'user', access: 'app' };

/** Scopes separated by commas or spaces; null if none are given. @throws {@link UsageError} for an unknown one. */
function scopesOf(values: Values): Scope[] | null {
  const text = values.last('scopes');
  if (text === undefined) return null;
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  if (names.length === 0) throw new UsageError('--scopes names no scope.');
  return names.map((name) => {
    const scope = scopeNamed(name);
    if (scope !== undefined) return scope;
    throw new UsageError(`${name} is not a scope.${didYouMean(name, SCOPES)}`);
  });
}

function tokenOf([word, extra]: readonly string[], values: Values): TokenOrder {
  noMore(extra, 'token');
  const kind = KINDS.find((each) => each === word);
  const limited = choiceOf(values, 'limits', ['platform', 'off']) !== 'off';
  if (kind === undefined) {
    throw new UsageError(
      'Name the kind of token: groundswell token app, or groundswell token user.',
    );
  }
  refuseForeign(values, 'token', kind, OWNERS);
  if (kind === 'app') {
    return { kind, access: choiceOf(values, 'access', ACCESS_LEVELS) ?? 'enterprise', limited };
  }
  const name = usernameOf(values.last('name'), 'Name the account: --name NAME.');
  const scopes = scopesOf(values);
  const oauth1 = values.has('oauth1');
  if (oauth1 && scopes) throw new UsageError('--scopes belongs to OAuth 2.0, not to --oauth1.');
  const app = values.last('app');
  return {
    kind,
    name,
    ...(app !== undefined && { app: appNameOf(app) }),
    ...(scopes && { scopes }),
    ...(oauth1 && { oauth1 }),
    limited,
  };
}

type TokenEvent = JobOutcome<'token'>;

/** A token under its field's name, with the account that it acts for and what signs with it. */
function shown({ token, account, signing }: TokenEvent): object {
  if (!account) return { bearer_token: token };
  return { ...signing, access_token: token, ...account };
}

/** A token, and the secret of an OAuth 1.0a token, each on a line of its own. */
function lines({ token, signing }: TokenEvent): string {
  return `${token}\n${signing ? `${signing.access_token_secret}\n` : ''}`;
}

export const tokenCommand = command({
  name: 'token',
  summary: {
    [`groundswell token app [--access ${ACCESS_LEVELS.join('|')}] [--limits off]`]:
      'creates and prints a bearer token for programs that read',
    'groundswell token user --name NAME [--app APP] [--scopes SCOPE,…|--oauth1] [--limits off]':
      'creates and prints a token for programs that act as the account @NAME',
  },
  about: `groundswell token app [--access LEVEL] [--limits off]
groundswell token user --name NAME [--app APP] [--scopes SCOPE,…] [--limits off]
groundswell token user --name NAME [--app APP] --oauth1 [--limits off]
Creates a token and prints it on a line of its own. It cannot be shown again, because only its hash is stored. An
app token only reads. A user token is an OAuth 2.0 access token, or with --oauth1 an OAuth 1.0a access token, whose
secret is on the next line. It does not expire, and acts as the account @NAME of this service, which is created if
it does not exist.`,
  column: 19,
  options: {
    '--access LEVEL': `${ACCESS_LEVELS.join(', ')} (default: enterprise); app only`,
    '--name NAME': 'username of 1 to 15 letters, digits and underscores; user only',
    '--app APP': 'app whose access, limits and credits apply (default: none of them); user only',
    '--scopes LIST': 'scopes separated by commas or spaces (default: all); user only',
    '--oauth1': 'OAuth 1.0a, for programs that sign their requests; user only',
    '--limits off': `no rate limits (default: the platform's)`,
    '--json': `prints one object on one line; with --oauth1 also the api_key and, unless --app names an app,
      the api_key_secret, which sign requests together with the token`,
  },
  read: (words, values) => ({ token: tokenOf(words, values), json: values.has('json') }),
  run: (deps, { data, token, json }) => {
    const print = (event: TokenEvent) =>
      json ? `${JSON.stringify(shown(event))}\n` : lines(event);
    return report(deps, data, 'token', token, print, 'No token was created: ');
  },
});
