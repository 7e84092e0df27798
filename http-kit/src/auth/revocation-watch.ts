import { readCredentialVersion, type Queryable } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { startPolling } from './polling.ts';

/** Detects credential changes by any process: revoked API keys and clients, changed rates, invalidated signing keys. */
export interface RevocationWatch {
  /** A number that increases whenever a poll finds credential changes. */
  epoch(): number;
  onChange(listener: () => void): () => void;
  stop(): void;
}

export interface RevocationWatchOptions {
  readonly log: Log;
  /** The interval plus the query time must be less than 5 s, because a credential change must take effect within that time. */
  readonly intervalMs?: number;
}

/** Resolves after the first poll, even if the poll failed. The first successful poll counts as a change. */
export const startRevocationWatch = async (
  postgres: Queryable,
  { log, intervalMs = 1_500 }: RevocationWatchOptions,
): Promise<RevocationWatch> => {
  const listeners = new Set<() => void>();
  let [epoch, lastVersion] = [0, ''];
  const poll = async () => {
    const version = await readCredentialVersion(postgres);
    if (version === lastVersion) return;
    lastVersion = version;
    epoch++;
    for (const listener of listeners) listener();
  };
  const failure = 'failed to poll for credential changes; retrying';
  const { firstPoll, stop } = startPolling(poll, { intervalMs, log, failure });
  await firstPoll;
  return {
    epoch: () => epoch,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop,
  };
};
