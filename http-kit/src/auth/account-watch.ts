import { ApiError } from '@popsvc/contracts/errors';
import { findAccount, isPostgresUnavailable, listAccounts, type Queryable } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { startPolling } from './polling.ts';

/** The current versions of the local accounts of operators. */
export interface AccountWatch {
  /** Returns whether an account exists in this version. Reads from memory and therefore works while PostgreSQL is unavailable. */
  isCurrent(name: string, version: string): boolean;
  /**
   * Like `isCurrent`, but reads the account from PostgreSQL if the version in memory differs or is missing. Throws UNAVAILABLE
   * if PostgreSQL does not answer.
   */
  confirm(name: string, version: string): Promise<boolean>;
  /** Reads all accounts. Call this after a change, which is then effective in this process at once. */
  refresh(): Promise<void>;
  stop(): void;
}

export interface AccountWatchOptions {
  readonly log: Log;
  readonly intervalMs?: number;
}

export const startAccountWatch = (
  postgres: Queryable,
  { log, intervalMs = 2_000 }: AccountWatchOptions,
): AccountWatch => {
  let versions = new Map<string, string>();
  let started = 0;
  let applied = 0;
  const refresh = async () => {
    const read = (started += 1);
    const accounts = await listAccounts(postgres);
    // Reads can end in another order than they began. An older result must not replace a newer one.
    if (read < applied) return;
    applied = read;
    versions = new Map(accounts.map(({ name, version }) => [name, version]));
  };
  const { stop } = startPolling(refresh, { intervalMs, log, failure: 'failed to read accounts; retrying' });
  const isCurrent = (name: string, version: string) => versions.get(name) === version;

  return {
    isCurrent,
    async confirm(name, version) {
      if (isCurrent(name, version)) return true;
      const read = (started += 1);
      const account = await findAccount(postgres, name).catch((cause: unknown) => {
        if (!isPostgresUnavailable(cause)) throw cause;
        throw new ApiError('UNAVAILABLE', 'PostgreSQL does not answer; try again.', { cause });
      });
      if (account && read > applied) versions.set(name, account.version);
      return account?.version === version;
    },
    refresh,
    stop,
  };
};
