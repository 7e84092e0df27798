import { ApiError } from '@popsvc/contracts/errors';
import { findAccount, isPostgresUnavailable, listAccounts, type Queryable } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { startPolling } from './polling.ts';

export interface AccountWatch {
  /** Compares with the versions in memory, so it works while PostgreSQL is unavailable. */
  isCurrent(name: string, version: string): boolean;
  /** Reads PostgreSQL if the version is not the one in memory. Throws UNAVAILABLE if PostgreSQL does not answer. */
  confirm(name: string, version: string): Promise<boolean>;
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
    // Concurrent reads of the list can end out of order; an older list must not replace a newer one.
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
