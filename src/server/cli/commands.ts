import type { Command } from './command.ts';
import { ADS } from './commands/ads.ts';
import { APP } from './commands/app.ts';
import { BACKUP } from './commands/backup.ts';
import { BREAKDOWN } from './commands/breakdown.ts';
import { CHECK } from './commands/check.ts';
import { COLLECTIONS } from './commands/collections.ts';
import { COMMUNITY } from './commands/community.ts';
import { COUNTS } from './commands/counts.ts';
import { EMIT } from './commands/emit.ts';
import { FEED } from './commands/feed.ts';
import { IMPORT } from './commands/import.ts';
import { LINK } from './commands/link.ts';
import { LOGIN } from './commands/login.ts';
import { MIGRATE } from './commands/migrate.ts';
import { NOTE } from './commands/note.ts';
import { PLAN } from './commands/plan.ts';
import { REINDEX } from './commands/reindex.ts';
import { REPORT } from './commands/report.ts';
import { REQUESTS } from './commands/requests.ts';
import { RESTORE } from './commands/restore.ts';
import { RISING } from './commands/rising.ts';
import { SAMPLE } from './commands/sample.ts';
import { SEARCH } from './commands/search.ts';
import { SERVE } from './commands/serve.ts';
import { TOKEN } from './commands/token.ts';
import { USER } from './commands/user.ts';

/** The commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  SERVE,
  LINK,
  IMPORT,
  COLLECTIONS,
  TOKEN,
  APP,
  USER,
  LOGIN,
  REQUESTS,
  COMMUNITY,
  NOTE,
  EMIT,
  ADS,
  FEED,
  COUNTS,
  SEARCH,
  PLAN,
  BREAKDOWN,
  RISING,
  REPORT,
  SAMPLE,
  CHECK,
  REINDEX,
  BACKUP,
  RESTORE,
  MIGRATE,
];
