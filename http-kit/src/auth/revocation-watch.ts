import { readCredentialVersion, type Queryable } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { startPolling } from './polling.ts';

/**
 * Detects credential changes by any process: revoked API keys and clients, changed rates, invalidated signing keys. Caches of
 * verified credentials are cleared at each change.
 */
export interface RevocationWatch {
  /**
   * Returns a number that increases whenever a poll finds credential changes. A look-up result is not cached if the number changed
   * during the look-up.
   */
  epoch(): number;
  /** Registers a callback for credential changes. Returns a function that unregisters it. */
  onChange(listener: () => void): () => void;
  stop(): void;
}

export interface RevocationWatchOptions {
  readonly log: Log;
  /**
   * Polling interval in ms. The interval plus the query time must be less than 5 s, the time within which a credential change
   * must take effect.
   */
  readonly intervalMs?: number;
}

/**
 * Polls the counter in PostgreSQL that increases with every credential change. Resolves after the first poll, even if it failed.
 * The first successful poll counts as a change.
 */
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
