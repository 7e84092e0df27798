import { ApiError } from '@popsvc/contracts/errors';
import { findAccount, isPostgresUnavailable, listAccounts, type Queryable } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';

/** The current versions of the local accounts of operators. */
export interface AccountWatch {
  /** Returns whether an account exists in this version. Reads from memory and therefore works while PostgreSQL is unavailable. */
  isCurrent(name: string, version: string): boolean;
  /** Like `isCurrent`, but reads an account of another version from PostgreSQL. Throws UNAVAILABLE if this fails. */
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
  let [isUnavailable, stopped] = [false, false];
  let timer: NodeJS.Timeout | undefined;

  const refresh = async () => {
    versions = new Map((await listAccounts(postgres)).map(({ name, version }) => [name, version]));
  };
  const pollRepeatedly = async () => {
    try {
      await refresh();
      isUnavailable = false;
    } catch (err) {
      if (!isUnavailable && !stopped) log.warn({ err }, 'failed to read accounts; retrying');
      isUnavailable = true;
    }
    if (!stopped) timer = setTimeout(() => void pollRepeatedly(), intervalMs).unref();
  };
  void pollRepeatedly();
  const isCurrent = (name: string, version: string) => versions.get(name) === version;

  return {
    isCurrent,
    async confirm(name, version) {
      if (isCurrent(name, version)) return true;
      const account = await findAccount(postgres, name).catch((cause: unknown) => {
        if (!isPostgresUnavailable(cause)) throw cause;
        throw new ApiError('UNAVAILABLE', 'PostgreSQL does not answer; try again.', { cause });
      });
      if (account) versions.set(name, account.version);
      return account?.version === version;
    },
    refresh,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
