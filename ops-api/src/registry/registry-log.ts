import { streamPrefixes } from '@popsvc/contracts/events';
import { emptyRegistry, type Registry } from '@popsvc/domain/registry';
import type { EventStore, ExpectedRevision, LogEvent } from '@popsvc/platform/event-store';
import { applyRegistryEvent } from '@popsvc/platform/registry';
import { withDeadline } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';

/** Later reads change `registry` in place, so take values that belong together from it synchronously. */
export interface KnownRegistry {
  readonly registry: Registry;
  /** The stream revision that an append based on this state must expect. */
  readonly expected: (stream: string) => ExpectedRevision;
}

export interface RegistryLog {
  /** Resolves with a registry that includes all events in the log at the time of the call. */
  readCurrent(): Promise<KnownRegistry>;
}

const readTimeoutMs = 30_000;

/** Probes keep `last` near the end of the log, so that a read covers few events. */
const prefixes = [streamPrefixes.registry, streamPrefixes.probe];

/** Keeps the registry in memory and reads only the new events on each call. */
export const createRegistryLog = (store: Pick<EventStore, 'subscribe'>, log: Log): RegistryLog => {
  const registry = emptyRegistry();
  const revisions = new Map<string, bigint>();
  let last: bigint | 'start' = 'start';
  let reading: Promise<unknown> = Promise.resolve();

  const take = (event: LogEvent) => {
    last = event.position;
    if (event.stream.startsWith(streamPrefixes.probe)) return;
    applyRegistryEvent(registry, event, log);
    revisions.set(event.stream, event.revision);
  };

  const readOn = async () => {
    const stop = new AbortController();
    const toEnd = async () => {
      const events = store.subscribe({ after: last, prefixes, signal: stop.signal });
      for await (const next of events) {
        if (next.kind === 'caught-up') return;
        if (!stop.signal.aborted) take(next.event);
      }
    };
    try {
      await withDeadline(toEnd(), readTimeoutMs, 'reading the registry');
    } finally {
      stop.abort();
    }
    return { registry, expected: (stream: string) => revisions.get(stream) ?? 'no_stream' } as const;
  };

  return {
    readCurrent() {
      // Reads run one after the other, so a later caller never receives an earlier state.
      const next = reading.then(readOn);
      reading = next.catch(() => undefined);
      return next;
    },
  };
};
