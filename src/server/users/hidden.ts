import type { SourceId } from '#contract/source.ts';
import type { Service } from '#server/auth/store.ts';
import type { StoreFinder } from '#server/posts/source.ts';
import { accountInfo } from './accounts.ts';

/**
 * Ids of the protected users of a source, ascending: of imported users, and of accounts of this service, which are in
 * place of imported ones.
 */
export function hiddenUsers(source: SourceId, service: Service, posts: StoreFinder): string[] {
  const imported = posts.protectedUsers();
  if (source !== 'posts') return imported.toSorted();
  const hidden = new Set(imported);
  for (const account of service.accounts()) {
    if (accountInfo(account).protected) hidden.add(account.id);
    else hidden.delete(account.id);
  }
  return [...hidden].sort();
}
