import { openAds } from '#server/ads/store.ts';
import type { HashCost } from '#server/auth/passwords.ts';
import { openService } from '#server/auth/store.ts';
import type { SendMail } from '#server/channels/channels.ts';
import type { FeedWork } from '#server/catalog/feed/feed-work.ts';
import type { CatalogStore } from '#server/catalog/store.ts';
import type { Defer } from '#server/closings.ts';
import type { ClusterService } from '#server/cluster/service.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import type { UploadsDeps } from '#server/import/uploads.ts';
import type { Relay } from '#server/platform/relay.ts';
import type { DataFolder } from '#server/data-folder.ts';
import type { Machine } from '#server/machine.ts';

/** The parts of the process and of the world outside that a service uses. */
export interface PartsDeps extends Machine {
  /** The built program of reports (`contract/counts/report.ts`). */
  readonly reporter: URL;
  /** Sends to external receivers; closed by its owner, after all parts. */
  readonly fetcher: Fetcher;
  /** The platform; null while it is not connected. */
  readonly relay: () => Relay | null;
  /** Sends e-mails; null where none can be sent. */
  readonly mail: SendMail | null;
  /** The address at which people open the service, without a path. */
  readonly site: () => string;
  /** Downloads and reads feeds. */
  readonly work: (store: CatalogStore) => FeedWork;
  /** Cost of hashing a password; the one for production by default. */
  readonly hashCost?: HashCost;
  /** Limits of uploaded files; those of production by default. */
  readonly uploads?: Partial<UploadsDeps>;
  /** Most characters of the events that a log keeps. */
  readonly logSize: number;
  /** Approximate number of Posts in a sample; the default size if absent. */
  readonly samplePosts?: number;
  /** The cluster that has Your posts instead of the data folder; null if they are in it. */
  readonly cluster: ClusterService | null;
  /** True if other machines reach the service, so that people sign in by name and password. */
  readonly isNetwork: boolean;
}

/** Opens the stores of a data folder that need no index. @throws {@link StoreError} if one of them cannot be used. */
export function openStores(folder: DataFolder, deps: Pick<PartsDeps, 'random'>, defer: Defer) {
  const service = openService(folder.service, deps);
  defer(() => service.close());
  const ads = openAds(folder.ads);
  defer(() => ads.close());
  return { service, ads };
}

/** The same with the stores that need no index. */
export type StoredDeps = PartsDeps & ReturnType<typeof openStores>;
