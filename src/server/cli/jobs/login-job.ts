import { LoginError, openLogins, type Logins, type LoginsDeps } from '#server/auth/logins.ts';
import { openPasswords, type HashCost } from '#server/auth/passwords.ts';
import type { Service } from '#server/auth/store.ts';
import type { Jobs } from '#server/http/job-stream.ts';

/** The logins of a data folder. */
export function loginsOf(
  { logins: table }: Pick<Service, 'logins'>,
  { now, random, hashCost }: Omit<LoginsDeps, 'table' | 'passwords'> & { hashCost?: HashCost },
): Logins {
  return openLogins({ table, passwords: openPasswords(random, hashCost), now, random });
}

/** Carries out orders about logins. */
export function loginJob(logins: Pick<Logins, 'order'>): Jobs['login'] {
  return async (order, emit) => {
    try {
      emit({ type: 'logins', logins: logins.order(order) });
    } catch (error) {
      if (!(error instanceof LoginError)) throw error;
      emit({ type: 'fault', message: error.message, summary: null });
    }
    return await Promise.resolve();
  };
}
