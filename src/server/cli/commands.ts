import type { Command } from './command.ts';
import { adsCommand } from './commands/ads.ts';
import { alertCommand } from './commands/alert.ts';
import { appCommand } from './commands/app.ts';
import { backupCommand } from './commands/backup.ts';
import { breakdownCommand } from './commands/breakdown.ts';
import { catalogCommand } from './commands/catalog.ts';
import { checkCommand } from './commands/check.ts';
import { collectionsCommand } from './commands/collections.ts';
import { communityCommand } from './commands/community.ts';
import { countsCommand } from './commands/counts.ts';
import { diffCommand } from './commands/diff.ts';
import { emitCommand } from './commands/emit.ts';
import { feedCommand } from './commands/feed.ts';
import { importCommand } from './commands/import.ts';
import { linkCommand } from './commands/link.ts';
import { loginCommand } from './commands/login.ts';
import { mcpCommand } from './commands/mcp.ts';
import { migrateCommand } from './commands/migrate.ts';
import { noteCommand } from './commands/note.ts';
import { planCommand } from './commands/plan.ts';
import { reindexCommand } from './commands/reindex.ts';
import { reportCommand } from './commands/report.ts';
import { requestsCommand } from './commands/requests.ts';
import { restoreCommand } from './commands/restore.ts';
import { risingCommand } from './commands/rising.ts';
import { sampleCommand } from './commands/sample.ts';
import { searchCommand } from './commands/search.ts';
import { serveCommand } from './commands/serve.ts';
import { tokenCommand } from './commands/token.ts';
import { userCommand } from './commands/user.ts';
import { verifyCommand } from './commands/verify.ts';

/** The commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  linkCommand,
  importCommand,
  collectionsCommand,
  tokenCommand,
  appCommand,
  userCommand,
  loginCommand,
  requestsCommand,
  communityCommand,
  noteCommand,
  emitCommand,
  adsCommand,
  catalogCommand,
  feedCommand,
  countsCommand,
  searchCommand,
  planCommand,
  breakdownCommand,
  risingCommand,
  alertCommand,
  reportCommand,
  verifyCommand,
  diffCommand,
  mcpCommand,
  sampleCommand,
  checkCommand,
  reindexCommand,
  backupCommand,
  restoreCommand,
  migrateCommand,
];
