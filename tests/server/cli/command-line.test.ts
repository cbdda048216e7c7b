import { describe, expect, it } from 'vitest';
import { COMMANDS } from '#server/cli/commands.ts';
import { readCommandLine } from '#server/cli/main.ts';
import { readBlock } from '#server/http/forwarded.ts';
import { UsageError } from '#server/cli/options.ts';

/** A parsed command line, with the name of the command in place of the command itself. */
function read(line: string, env: Record<string, string> = {}): object {
  const parsed = readCommandLine(line === '' ? [] : line.split(' '), env);
  if (parsed.print !== null) return parsed;
  const { command, order, cluster } = parsed;
  return { command: command.name, ...order, ...(cluster !== null && { cluster }) };
}

const NAMES = COMMANDS.filter(({ under }) => !under).map(({ name }) => name);

/** Only this machine. */
const HERE = { host: '127.0.0.1', network: null };

/** Characters of the log by default. */
const LOG = 256 * 1024 * 1024;

/** The order that each command gives by default. */
const DEFAULTS: Readonly<Record<string, object>> = {
  serve: { port: 4319, open: false, allowPrivate: false, logSize: LOG, log: 'text', listen: HERE },
  link: { open: false },
  import: { map: {}, table: {} },
  restore: { replace: false },
  ...Object.fromEntries(
    ['login', 'token', 'user', 'app', 'community', 'note'].map((name) => [name, { json: false }]),
  ),
};

describe('a command line', () => {
  it.each<[line: string, ordered: object]>([
    ['serve', {}],
    ['serve --open', { open: true }],
    ['serve --log-size 2', { logSize: 2 * 1024 * 1024 }],
    ['serve --log json', { log: 'json' }],
    [
      'login add anna@example.org --role administrator --budget 2.5 --password ask --json',
      {
        login: {
          action: 'add',
          name: 'anna@example.org',
          role: 'administrator',
          budget: 2.5,
          password: 'ask',
        },
        json: true,
      },
    ],
    ['login set bob --budget unlimited', { login: { action: 'set', name: 'bob', budget: null } }],
    ['import a.csv --live --speed 60', { files: ['a.csv'], speed: 60 }],
    ['import a.csv --live', { files: ['a.csv'], speed: 1 }],
    [
      'emit chat.conversation.join --user ann --json a.json',
      { event: 'chat.conversation_join', username: 'ann', json: 'a.json' },
    ],
    ['serve --allow-private', { allowPrivate: true }],
    ['link', {}],
    ['link --open --data d', { data: 'd', open: true }],
    ['serve --port 8080 --data d', { data: 'd', port: 8080 }],
    ['serve --port=0', { port: 0 }],
    ['serve --data a --data b', { data: 'b' }],
    ['import a.csv b.zip', { files: ['a.csv', 'b.zip'] }],
    [
      'import --data d a.csv --map id=tweet_id,text=content --map lang=language',
      { data: 'd', files: ['a.csv'], map: { id: 'tweet_id', text: 'content', lang: 'language' } },
    ],
    [
      'import a.xlsx --quotes none --dates DMY --zone Europe/Berlin --sheet Mentions',
      {
        files: ['a.xlsx'],
        table: { quotes: 'none', dates: 'DMY', zone: 'Europe/Berlin', sheet: 'Mentions' },
      },
    ],
    ['import -- --odd.csv', { files: ['--odd.csv'] }],
    ['token app', { token: { kind: 'app', access: 'enterprise', limited: true } }],
    [
      'token app --access self-service --limits off',
      { token: { kind: 'app', access: 'self-service', limited: false } },
    ],
    ['token user --name alice', { token: { kind: 'user', name: 'alice', limited: true } }],
    [
      'token user --limits off --name A_1 --data d',
      { data: 'd', token: { kind: 'user', name: 'A_1', limited: false } },
    ],
    [
      'user add ann --bio Hi --verified blue --protected yes --json',
      {
        user: {
          action: 'add',
          username: 'ann',
          profile: { description: 'Hi', verified_type: 'blue', protected: true },
        },
        json: true,
      },
    ],
    [
      'user set ann --username bob --affiliation acme,nasa',
      {
        user: {
          action: 'set',
          username: 'ann',
          rename: 'bob',
          profile: { affiliation: 'acme,nasa' },
        },
      },
    ],
    ['user set --name ann', { user: { action: 'set', username: 'ann', profile: { name: 'ann' } } }],
    ['user remove ann', { user: { action: 'remove', username: 'ann' } }],
    [
      'token user --name ann --app Reader --scopes tweet.read,users.read --json',
      {
        token: {
          kind: 'user',
          name: 'ann',
          app: 'Reader',
          scopes: ['tweet.read', 'users.read'],
          limited: true,
        },
        json: true,
      },
    ],
    [
      'token user --name ann --oauth1',
      { token: { kind: 'user', name: 'ann', oauth1: true, limited: true } },
    ],
    ['app list', { app: { action: 'list' } }],
    [
      'app bill Reader --days 7 --csv',
      { app: { action: 'bill', name: 'Reader', days: 7, csv: true } },
    ],
    ['app rotate Reader', { app: { action: 'rotate', name: 'Reader' } }],
    ['app rotate --name Reader', { app: { action: 'rotate', name: 'Reader' } }],
    [
      'app add Reader --access enterprise --client public --callback https://a.example/b --callback app:x --credits 2.5 --owner ann --json',
      {
        app: {
          action: 'add',
          name: 'Reader',
          settings: {
            access: 'enterprise',
            client: 'public',
            callbacks: ['https://a.example/b', 'app:x'],
            credits: 2_500_000,
            owner: 'ann',
          },
        },
        json: true,
      },
    ],
    [
      'app set Reader --callback none --owner none --spending-limit unlimited --early-access yes --stream-rules 60000 --limits off --permission read',
      {
        app: {
          action: 'set',
          name: 'Reader',
          settings: {
            callbacks: [],
            permission: 'read',
            owner: null,
            spending_limit: null,
            early_access: true,
            stream_rules: 60_000,
            limited: false,
          },
        },
      },
    ],
    [
      'user requests ann --json',
      { command: 'requests', requests: { action: 'list', username: 'ann' }, json: true },
    ],
    [
      'user requests ann --approve Bob',
      { command: 'requests', requests: { action: 'approve', username: 'ann', requester: 'Bob' } },
    ],
    ['user list', { user: { action: 'list' } }],
    [
      'community add Tea --member ann,bob --member Carl --json',
      { community: { action: 'add', name: 'Tea', members: ['ann', 'bob', 'Carl'] }, json: true },
    ],
    ['community join Tea ann', { community: { action: 'join', name: 'Tea', username: 'ann' } }],
    [
      'note request 1 2 --link https://a.com/b --suggestion wrong',
      {
        note: {
          action: 'request',
          posts: ['1', '2'],
          link: 'https://a.com/b',
          suggestion: 'wrong',
        },
      },
    ],
    [
      'note rate --file a.csv --map note=id',
      { note: { action: 'import', file: 'a.csv', map: { note: 'id' } } },
    ],
    [
      'note rate 7 not-helpful --count 5 --json',
      { note: { action: 'rate', note: '7', rating: 'not_helpful', count: 5 }, json: true },
    ],
    ['community remove Tea', { community: { action: 'remove', name: 'Tea' } }],
    ['community list', { community: { action: 'list' } }],
    ['sample', {}],
    ['check --data d', { data: 'd' }],
    ['reindex', {}],
    [
      'report a.groundswell-board --out r',
      {
        report: {
          board: 'a.groundswell-board',
          form: 'html',
          out: 'r',
          every: null,
          zone: null,
          channels: [],
          allowPrivate: false,
        },
      },
    ],
    [
      'report #q=tea --out r --every friday --zone europe/berlin --to webhook:http://h --allow-private --pptx',
      {
        report: {
          board: '#q=tea',
          form: 'pptx',
          out: 'r',
          every: '0 6 * * 5',
          zone: 'Europe/Berlin',
          channels: [{ kind: 'webhook', address: 'http://h' }],
          allowPrivate: true,
        },
      },
    ],
    ['verify a.html', { file: 'a.html' }],
    ['diff a b --limit 3', { old: 'a', new: 'b', limit: 3, json: false }],
    ['mcp', {}],
    ['backup b.tar --data d', { data: 'd', file: 'b.tar' }],
    ['restore b.tar', { file: 'b.tar' }],
    ['restore b.tar --replace', { file: 'b.tar', replace: true }],
    ['check --data d --cluster main', { data: 'd', cluster: 'main' }],
    ['migrate --to clickhouse --data d', { data: 'd' }],
  ])('%s', (line, ordered) => {
    const [command = ''] = line.split(' ');
    expect(read(line)).toEqual({ command, data: './data', ...DEFAULTS[command], ...ordered });
  });

  it.each(['--version', 'serve --version'])('%s prints the version', (line) => {
    expect(read(line)).toEqual({ print: 'version' });
  });

  it.each<[string, object]>([
    ['--host localhost', HERE],
    ['--host ::1', { host: '::1', network: null }],
    [
      '--host 0.0.0.0 --name Dash.Example.org --tls-cert c.pem --tls-key k.pem',
      {
        host: '0.0.0.0',
        network: {
          names: ['dash.example.org'],
          tls: { cert: 'c.pem', key: 'k.pem' },
          proxies: null,
        },
      },
    ],
    [
      '--trusted-proxy 10.0.0.0/8,192.0.2.1 --name a.example --name 2001:DB8::1,192.0.2.9',
      {
        host: '127.0.0.1',
        network: {
          names: ['a.example', '[2001:db8::1]', '192.0.2.9'],
          tls: null,
          proxies: [readBlock('10.0.0.0/8'), readBlock('192.0.2.1')],
        },
      },
    ],
  ])('serve %s listens there', (options, listen) => {
    expect(read(`serve ${options}`)).toMatchObject({ listen });
  });

  it.each([
    ['--host 0.0.0.0', 'would serve other machines without encryption. Give the service a certif'],
    ['--host :: --name a.example', '--trusted-proxy ADDRESS --name NAME'],
    ['--host 127.0.0.2', 'would serve other machines'],
    ['--host dash.example', '--host dash.example is not an IP address'],
    ['--host', '--host needs a value'],
    ['--name a.example', '--name goes with --tls-cert and --tls-key, or with --trusted-proxy.'],
    ['--tls-cert c.pem', '--tls-cert and --tls-key need each other.'],
    ['--tls-key k.pem --trusted-proxy ::1', '--tls-cert and --tls-key need each other.'],
    ['--trusted-proxy 10.0.0.1', 'Name the host that people open the service by'],
    ['--trusted-proxy ,', '--trusted-proxy names no address.'],
    ['--trusted-proxy 0.0.0.0/0 --name a', '--trusted-proxy 0.0.0.0/0 contains every address.'],
    ['--trusted-proxy proxy --name a', '--trusted-proxy proxy is not an IP address or a block'],
    ['--trusted-proxy ::1 --name a.example:443', '--name a.example:443 is not a host name'],
    ['--trusted-proxy ::1 --name https://a', '--name https://a is not a host name'],
    [
      '--trusted-proxy ::1 --name a.example --open',
      '--open is for a service that only this machine',
    ],
  ])('serve %s is refused: %s', (options, message) => {
    expect(() => read(`serve ${options}`)).toThrow(UsageError);
    expect(() => read(`serve ${options}`)).toThrow(message);
  });

  it('never repeats what may be a password', () => {
    expect(() => read('login add anna --password hunter2hunter2')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });

  it('uses the data folder of the environment unless it names one', () => {
    expect(read('serve', { GROUNDSWELL_DATA: '/there' })).toMatchObject({ data: '/there' });
    expect(read('serve --data x', { GROUNDSWELL_DATA: '/there' })).toMatchObject({ data: 'x' });
    expect(read('serve', { GROUNDSWELL_DATA: '' })).toMatchObject({ data: './data' });
  });

  it.each(NAMES)('%s --help describes each of its options in lines of a terminal', (name) => {
    const help = read(`${name} --help`);
    if (!('text' in help)) throw new Error(`expected help, got ${JSON.stringify(help)}`);
    const lines = String(help.text).split('\n');
    for (const option of ['data', 'help', 'version']) {
      expect(lines.filter((line) => line.startsWith(`  --${option} `))).toHaveLength(1);
    }
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
    expect(read(`${name} -h`)).toEqual(help);
  });

  it('--help lists every command', () => {
    const help = read('--help');
    expect(help).toEqual(read('-h'));
    expect(help).toMatchObject({ text: expect.stringContaining('--data DIR') });
    const named = JSON.stringify(help).match(/groundswell [a-z]+(?= |\\n)/g);
    expect(named).toEqual(expect.arrayContaining(NAMES.map((name) => `groundswell ${name}`)));
  });

  it.each([
    [
      '',
      'Name a command: serve, link, import, collections, token, app, user, login, community, note, emit, ads, catalog, feed, counts, search, plan, breakdown, rising, alert, report, verify, diff, mcp, sample, check, reindex, backup, restore, migrate. See groundswell --help.',
    ],
    ['serv', 'Unknown command serv. Did you mean serve?'],
    ['reindx', 'Unknown command reindx. Did you mean reindex?'],
    ['check a.csv', 'Unexpected a.csv: see groundswell check --help.'],
    ['mcp now', 'Unexpected now: see groundswell mcp --help.'],
    ['reindex --map a=b', 'Unknown option --map.'],
    ['backup', 'Name the file of the backup: groundswell backup FILE.'],
    ['restore a.tar b.tar', 'Unexpected b.tar: see groundswell restore --help.'],
    ['backup a.tar --replace', 'Unknown option --replace.'],
    ['serve --log xml', '--log xml is not one of text, json.'],
    ['delete', 'Unknown command delete.'],
    ['--data d serve', 'Name the command first: groundswell'],
    ['--prot', 'Unknown option --prot.'],
    ['serve --prot 1', 'Unknown option --prot. Did you mean --port?'],
    ['serve -p 1', 'Unknown option -p.'],
    [
      'counts -is:retweet tea',
      'Unknown option -is:retweet. A text that begins with a minus goes after --.',
    ],
    ['import a.csv --dta d', 'Unknown option --dta. Did you mean --data?'],
    ['serve --map a=b', 'Unknown option --map.'],
    ['serve --port', '--port needs a value.'],
    ['serve --port --data d', '--port needs a value.'],
    ['serve --port 70000', '--port 70000 is not a port: expected 0 to 65535.'],
    ['serve --port 80a', '--port 80a is not a port: expected 0 to 65535.'],
    ['serve --help=yes', '--help takes no value.'],
    ['serve --data=', '--data needs the name of a folder.'],
    ['serve extra', 'Unexpected extra: see groundswell serve --help.'],
    ['import', 'Name the files to import.'],
    ['import a.csv --map id', '--map id is not of the form name=column, such as id=tweet_id.'],
    ['import a.csv --map =x', '--map =x is not of the form name=column, such as id=tweet_id.'],
    ['token', 'Name the kind of token: groundswell token app, or groundswell token user.'],
    ['token usr', 'Name the kind of token: groundswell token app, or groundswell token user.'],
    ['token user', 'Name the account: --name NAME.'],
    ['token user --name', '--name needs a value.'],
    ['token user --name=', ' is not a username: expected 1 to 15 of'],
    ['token user --name @alice', '@alice is not a username: expected 1 to 15 of'],
    ['token user --name abcdefghijklmnop', 'abcdefghijklmnop is not a username'],
    ['token user --name alice --access enterprise', '--access belongs to groundswell token app.'],
    ['token user --name alice more', 'Unexpected more: see groundswell token --help.'],
    ['token app --name alice', '--name belongs to groundswell token user.'],
    ['token app more', 'Unexpected more: see groundswell token --help.'],
    ['user', 'Say what to do: groundswell user add, list, set, remove, requests.'],
    ['user requests', 'Name the account: groundswell user requests USERNAME.'],
    ['user requests ann bob', 'Unexpected bob: see groundswell user --help.'],
    ['user requests ann --approve b-b', '--approve b-b is not a username.'],
    ['user requests ann --approve bob --refuse carl', 'Answer one request at a time: '],
    ['user set ann --approve bob', '--approve belongs to groundswell user requests.'],
    ['report', 'Name the board: groundswell report BOARD --out DIR.'],
    ['report a', 'Name a folder for the reports: --out DIR.'],
    ['verify', 'Name the file: groundswell verify FILE.'],
    ['diff a', 'Name two files: groundswell diff OLD NEW.'],
    ['report a b --out r', 'Unexpected b: see groundswell report --help.'],
    ['report a --out r --allow-private', '--allow-private belongs to --to.'],
    ['report a --out r --zone UTC', '--zone belongs to --every.'],
    [
      'report a --out r --every day --zone Mars',
      '--zone Mars is not a time zone: expected one such as Europe/Berlin.',
    ],
    ['report a --out r --every mondays', '--every mondays is not a schedule: expected hour, day,'],
    ['note', 'Say what to do: groundswell note request, rate, admit.'],
    ['note request', 'Name the Posts: groundswell note request ID….'],
    ['note request x', 'x is not the id of a Post: expected up to 19 digits.'],
    [
      'note request 1 --link ftp://a',
      '--link ftp://a is not an address that begins with http:// or https://.',
    ],
    ['note rate', 'Name the note: groundswell note rate ID RATING.'],
    ['note rate --file a.csv 7', 'Unexpected 7: --file has the notes.'],
    ['note rate --file a.csv --count 2', '--count belongs to a rating, not to --file.'],
    ['note rate 7 helpful --map note=id', '--map belongs to --file.'],
    ['note admit ann --file a.csv', '--file belongs to groundswell note rate.'],
    [
      'note rate 1 helpfull',
      'The rating helpfull is not one of helpful, somewhat-helpful, not-helpful. Did you mean helpful?',
    ],
    ['note rate 1 helpful 2', 'Unexpected 2: see groundswell note --help.'],
    [
      'note rate 1 helpful --count 1001',
      '--count 1001 is not a number of ratings: expected 1 to 1000.',
    ],
    ['note admit', 'Name the account: groundswell note admit USERNAME.'],
    ['note admit ann --count 2', '--count belongs to groundswell note rate.'],
    ['community', 'Say what to do: groundswell community add, list, remove, join, leave.'],
    ['community add', 'Name the community: groundswell community add NAME.'],
    [`community add ${'x'.repeat(31)}`, 'The name of a community must have 1 to 30 characters.'],
    ['community add Tea more', 'Unexpected more: see groundswell community --help.'],
    ['community add Tea --member a-b', 'a-b is not a username: expected 1 to 15 of'],
    ['community join Tea', 'Name the account: groundswell community join NAME USERNAME.'],
    ['community leave Tea a-b', 'a-b is not a username: expected 1 to 15 of'],
    ['community join Tea ann more', 'Unexpected more: see groundswell community --help.'],
    ['community list more', 'Unexpected more: see groundswell community --help.'],
    ['community remove Tea --member a', '--member belongs to groundswell community add.'],
    ['app', 'Say what to do: groundswell app add, list, set, rotate, remove, bill.'],
    ['app bill', 'Name the app: groundswell app bill NAME.'],
    ['app bill A --days 91', '--days 91 is not a number of days: expected 1 to 90.'],
    ['app bill A --csv --json', 'Choose one of --csv and --json.'],
    ['app list --csv', '--csv belongs to groundswell app bill.'],
    ['app list more', 'Unexpected more: see groundswell app --help.'],
    ['app add', 'Name the app: groundswell app add NAME.'],
    [`app add ${'x'.repeat(33)}`, 'The name of an app must have 1 to 32 characters.'],
    ['app set A --credits much', '--credits much is not an amount: expected dollars'],
    ['app set A --callback b', '--callback b is not an absolute address without a fragment.'],
    ['app set A --callback https://a.example/#b', 'is not an absolute address'],
    ['app set A --owner a-b', '--owner a-b is not a username.'],
    ['app set A --access high', '--access high is not one of self-service, pay-per-use'],
    ['token app --scopes tweet.read', '--scopes belongs to groundswell token user.'],
    ['token user --name a --scopes tweet.reed', 'not a scope. Did you mean tweet.read?'],
    ['token user --name a --scopes ,', '--scopes names no scope.'],
    ['token user --name a --oauth1 --scopes tweet.read', '--scopes belongs to OAuth 2.0'],
    ['token app --oauth1', '--oauth1 belongs to groundswell token user.'],
    ['login', 'Say what to do: groundswell login add, list, set, remove.'],
    ['login list more', 'Unexpected more: see groundswell login --help.'],
    ['login add', 'Name the login: groundswell login add NAME.'],
    ['login add -x', 'Unknown option -x.'],
    ['login add .x', '.x is not a name: expected 1 to 64 letters'],
    ['login set anna', 'Say what to change: --role, --budget or --password.'],
    ['login set anna --role boss', '--role boss is not one of administrator, member.'],
    ['login set anna --budget much', '--budget much is not an amount: expected dollars'],
    ['login set anna --password x', '--password takes ask or generate, not a password'],
    ['user list more', 'Unexpected more: see groundswell user --help.'],
    ['user add', 'Name the account: groundswell user add USERNAME.'],
    ['user add a-b', 'a-b is not a username: expected 1 to 15 of'],
    [
      'user set ann --verified red',
      '--verified red is not one of none, blue, business, government.',
    ],
    ['user set ann --subscription premium', '--subscription premium is not one of None, Basic,'],
    ['user add ann --username bob', '--username belongs to groundswell user set.'],
    ['user set ann --affiliation a-b', '--affiliation a-b must be usernames separated by commas.'],
    ['user set ann --protected maybe', '--protected maybe is not one of yes, no.'],
    ['user set ann --email ann', '--email ann is not an e-mail address.'],
    ['user set ann --url ftp://a', '--url ftp://a is not an http or https address.'],
    [`user set ann --location ${'x'.repeat(31)}`, 'has 31 characters; the limit is 30.'],
    [
      'token app --access enterprse',
      '--access enterprse is not one of self-service, pay-per-use, enterprise. Did you mean enterprise?',
    ],
    [
      'app add A --stream-rules 0',
      '--stream-rules 0 is not a number of rules: expected 1 to 250000, or platform.',
    ],
    ['token app --limits none', '--limits none is not one of platform, off.'],
    ['serve --__proto__ x', 'Unknown option --__proto__.'],
  ])('%j is refused: %s', (line, message) => {
    expect(() => read(line)).toThrow(UsageError);
    expect(() => read(line)).toThrow(message);
  });
});
