import { readCredentialVersion, type Queryable } from '../postgres/index.ts';
import type { Log } from '../telemetry/index.ts';

/** Notices revocations by any process, so that caches of verified credentials can be cleared. */
export interface RevocationWatch {
  /** Increases with every change. The result of a look-up that began under an older epoch must not be cached. */
  epoch(): number;
  /** Registers a callback for every change; returns the function that unregisters it. */
  onChange(listener: () => void): () => void;
  stop(): void;
}

export interface RevocationWatchOptions {
  readonly log: Log;
  /** Polling interval. Together with the query time it must stay below the 5 s within which a revocation takes effect. */
  readonly intervalMs?: number;
}

/**
 * Polls the counter in PostgreSQL that increases with every revocation. Resolves after the first poll, even if PostgreSQL is
 * unavailable: the first successful poll then reports the changes.
 */
export const startRevocationWatch = async (
  postgres: Queryable,
  { log, intervalMs = 1_500 }: RevocationWatchOptions,
): Promise<RevocationWatch> => {
  const listeners = new Set<() => void>();
  let [epoch, lastVersion, stopped] = [0, '', false];
  let timer: NodeJS.Timeout | undefined;

  const poll = async () => {
    try {
      const version = await readCredentialVersion(postgres);
      if (version !== lastVersion) {
        lastVersion = version;
        epoch++;
        for (const listener of listeners) listener();
      }
    } catch (err) {
      if (!stopped) log.warn({ err }, 'revocation poll failed; retrying');
    }
    if (!stopped) timer = setTimeout(() => void poll(), intervalMs).unref();
  };

  await poll();
  return {
    epoch: () => epoch,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
