import { readCredentialVersion, type Queryable } from '../postgres/index.ts';
import type { Log } from '../telemetry/index.ts';

/** Tells when any credential was revoked, by any process; everyone who remembers verified credentials forgets them then. */
export interface RevocationWatch {
  /** Grows with every change seen. What was asked under an older epoch must not be remembered. */
  epoch(): number;
  /** Called at every change; returns how to stop listening. */
  onChange(forget: () => void): () => void;
  stop(): void;
}

export interface RevocationWatchOptions {
  readonly log: Log;
  /** How often it looks; with the time a question takes this stays well under the 5 s a revocation may need. */
  readonly intervalMs?: number;
}

/**
 * Watches one number in PostgreSQL that grows with every revocation. Resolves when it knows the number, or that PostgreSQL is away:
 * what changed meanwhile is then noticed with the first answer.
 */
export const startRevocationWatch = async (
  postgres: Queryable,
  { log, intervalMs = 1_500 }: RevocationWatchOptions,
): Promise<RevocationWatch> => {
  const listeners = new Set<() => void>();
  let [epoch, known, stopped] = [0, '', false];
  let timer: NodeJS.Timeout | undefined;

  const look = async () => {
    try {
      const version = await readCredentialVersion(postgres);
      if (version !== known) {
        known = version;
        epoch++;
        for (const forget of listeners) forget();
      }
    } catch (err) {
      if (!stopped) log.warn({ err }, 'revocations cannot be watched');
    }
    if (!stopped) timer = setTimeout(() => void look(), intervalMs).unref();
  };

  await look();
  return {
    epoch: () => epoch,
    onChange(forget) {
      listeners.add(forget);
      return () => listeners.delete(forget);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
