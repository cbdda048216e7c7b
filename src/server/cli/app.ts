import type { AppInfo, AppOrder, AppsAnswer } from '#contract/accounts/apps.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';

const MICRO = 1_000_000;

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

/** What happened to an app, by the order's action. */
const DONE = { add: 'added', set: 'changed', rotate: 'given new secrets', remove: 'removed' };

/**
 * `groundswell app {add,list,set,rotate,remove}`: prints the apps, one per line, or with `json` one object on one line.
 *
 * @returns The exit code.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runApp(
  deps: CommandDeps,
  { data, app, json }: { data: string; app: AppOrder; json: boolean },
): Promise<number> {
  let code = 1;
  await perform(deps, new DataFolder(data), { kind: 'app', order: app }, (event) => {
    if (event.type === 'fault') deps.err(`${event.message}\n`);
    if (event.type !== 'apps') return;
    code = 0;
    const { apps, secrets } = event;
    if (json) {
      const all = apps.map(shown);
      const out = app.action === 'list' ? { apps: all } : { ...all[0], ...secrets };
      deps.out(`${JSON.stringify(out)}\n`);
    } else if (app.action === 'list') deps.out(apps.map(line).join(''));
    else deps.out(`${app.name} was ${DONE[app.action]}.\n${secretLines(event)}`);
  });
  return code;
}
