import { formatInstant } from '#contract/instant.ts';
import type { LoginInfo, LoginOrder } from '#contract/accounts/logins.ts';
import type { Machine } from '#server/machine.ts';
import { isOpen, type LoginTable, type StoredLogin } from './login-table.ts';

const MOST_LOGINS = 1000;

const MILLIONTHS = 1_000_000;

/** A failure of an order about logins, as a line for the user. */
export class LoginError extends Error {
  override readonly name = 'LoginError';
}

export interface LoginOrderDeps extends Pick<Machine, 'now' | 'random'> {
  readonly table: LoginTable;
}

/**
 * Carries out an order about logins. A change is durable when this returns.
 *
 * @returns The logins that it is about.
 * @throws {@link LoginError} for a name that is taken or unknown, and for too many logins.
 */
export function orderLogins(
  { table, now, random }: LoginOrderDeps,
  order: LoginOrder,
): LoginInfo[] {
  const infoOf = ({ id, name, role, budget }: StoredLogin): LoginInfo => {
    const open = table.sessions(id).filter((session) => isOpen(session, now()));
    const [last] = open;
    return {
      id,
      name,
      role,
      budget: budget === null ? null : budget / MILLIONTHS,
      sessions: open.length,
      last: last ? formatInstant(last.seenAt) : null,
    };
  };
  const budgetOf = (money: number | null): number | null =>
    money === null ? null : Math.round(money * MILLIONTHS);
  if (order.action === 'list') return table.all().map(infoOf);
  const before = table.byName(order.name);
  if (order.action === 'add') {
    const { name, password, role, budget } = order;
    if (before) throw new LoginError(`There is a login ${before.name} already.`);
    if (table.all().length >= MOST_LOGINS) {
      throw new LoginError(`There are ${MOST_LOGINS} logins, which is the most.`);
    }
    const id = Buffer.from(random(6)).toString('hex');
    const login = { id, name, role, password, budget: budgetOf(budget) };
    table.put(login, now());
    return [infoOf(login)];
  }
  if (!before) throw new LoginError(`There is no login ${order.name}.`);
  if (order.action === 'remove') {
    const info = infoOf(before);
    table.remove(before.id);
    return [info];
  }
  const { password, role, budget } = order;
  const login = {
    ...before,
    ...(password !== undefined && { password }),
    ...(role !== undefined && { role }),
    ...(budget !== undefined && { budget: budgetOf(budget) }),
  };
  table.put(login, now());
  if (password !== undefined) table.removeSessions(login.id);
  return [infoOf(login)];
}
