import { handlesText } from '#server/users/handles.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import { AppError } from '#server/auth/apps.ts';
import { appBills } from '#server/billing/app-bill.ts';
import { openCredits } from '#server/billing/credits.ts';
import { notInClusters } from '#server/cluster/error.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { orderLogins } from '#server/auth/login-orders.ts';
import type { Service } from '#server/auth/store.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { jobsOf } from './works.ts';
import { chargesIn } from '#server/posts/editor/charges.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openEditor } from '#server/posts/editor/editor-thread.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { orderCommunities } from '#server/users/communities.ts';
import { orderAndApprove, orderRequests } from '#server/users/follow-requests.ts';
import { orderCollections } from './collection-job.ts';
import { emittedEvent } from './emitted.ts';
import { importWork, type ImportJobDeps, type WithEditor } from './import-job.ts';
import { indexWorks, type IndexJobsDeps } from './index-jobs.ts';
import { noteWork } from './note-job.ts';

export interface JobsDeps extends ImportJobDeps, IndexJobsDeps {
  readonly service: Service;
  /** Changes Your posts in the data folder; by default, each job opens its own editor. */
  readonly editor?: PostEditor;
}

/** Jobs that need open catalogs, or alerts. */
type OpenedJob = 'alert' | 'catalog' | 'feed';

/**
 * Opens the jobs on a data folder that this process has locked: all but those on catalogs and
 * alerts, and those that only a running service does.
 */
export function openJobs(
  folder: DataFolder,
  deps: JobsDeps,
): Omit<Jobs, OpenedJob | 'platform' | 'link'> {
  const { auth, service, cluster, now, random } = deps;
  const withEditor: WithEditor = async (change) => {
    if (deps.editor) return await change(deps.editor);
    const editor = openEditor(deps.host, folder.posts, () => {});
    try {
      return await change(editor);
    } finally {
      await editor.close();
    }
  };
  /** Changes what a cluster does not store. */
  const inFolder: WithEditor = async (change) =>
    cluster ? notInClusters() : await withEditor(change);
  const accounts = () => auth.accounts({ action: 'list' });
  return jobsOf<Exclude<keyof Jobs, OpenedJob | 'platform' | 'link'>>({
    ...indexWorks(folder, deps),
    import: importWork(folder, deps, withEditor),
    note: noteWork(folder, deps),
    token: (order) => {
      if (order.kind === 'app') return { type: 'token', token: auth.issueToken(order) };
      return { type: 'token', ...auth.issueUserToken(order) };
    },
    user: async (order) => ({
      type: 'accounts',
      accounts: isStoreThere(folder.posts)
        ? await withEditor((editor) =>
            orderAndApprove(auth.accounts, () => handlesText(service), editor, order),
          )
        : auth.accounts(order),
    }),
    login: (order) => ({
      type: 'logins',
      logins: orderLogins({ table: service.logins, now, random }, order),
    }),
    app: (order) => ({ type: 'apps', ...auth.apps(order) }),
    bill: ({ name, days }) => {
      const app = service.apps.byName(name);
      if (!app) throw new AppError(`There is no app named ${name}.`);
      const db = isStoreThere(folder.posts) ? openPosts(folder.posts, { random }) : null;
      try {
        const charges = db ? chargesIn(db) : () => [];
        const credits = openCredits({ bills: service.bills, charges });
        return {
          type: 'bill',
          bill: appBills({ service, charges, credits })(app, days, now()),
        };
      } finally {
        db?.close();
      }
    },
    collections: async (order) => ({
      type: 'collections',
      collections: await inFolder((editor) =>
        orderCollections(folder, { random, now, editor }, order),
      ),
    }),
    requests: async (order) => ({
      type: 'requests',
      requests: await inFolder((editor) => orderRequests({ accounts: accounts(), editor }, order)),
    }),
    community: async (order) => ({
      type: 'communities',
      communities: await inFolder((editor) =>
        orderCommunities({ accounts: accounts(), editor, now }, order),
      ),
    }),
    emit: async (order) => {
      await inFolder(({ write }) => write(emittedEvent(order, service.findAccount)));
      return { type: 'emitted' };
    },
  });
}
