import type { Service } from '#server/auth/store.ts';
import type { HandleList } from '#server/posts/store/handles.ts';

/** The usernames of accounts that changed, as the file of Posts stores them; empty if none did. */
export function handlesText(
  service: Pick<Service, 'formerHandles' | 'findAccount' | 'accountOf'>,
): string {
  const former = service.formerHandles();
  const now = former.flatMap(({ account }) => service.accountOf(account)?.username ?? []);
  const names = [
    ...new Set([...former.map(({ name }) => name), ...now.map((name) => name.toLowerCase())]),
  ];
  const list: HandleList = names.sort().map((name) => [
    name,
    {
      holder: service.findAccount(name)?.id ?? null,
      former: former.filter((each) => each.name === name).map(({ account }) => account),
    },
  ]);
  return list.length === 0 ? '' : JSON.stringify(list);
}
