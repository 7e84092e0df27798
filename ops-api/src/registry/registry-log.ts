import { streamPrefixes } from '@popsvc/contracts/events';
import { emptyRegistry, type Registry } from '@popsvc/domain/registry';
import type { EventStore, ExpectedRevision, LogEvent } from '@popsvc/platform/event-store';
import { applyRegistryEvent } from '@popsvc/platform/registry';
import { withDeadline } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';

/** The registry as the log told it up to an end that was seen. */
export interface KnownRegistry {
  readonly registry: Registry;
  /** Where a stream must stand for an append to it to follow what is known here. */
  readonly expected: (stream: string) => ExpectedRevision;
}

export interface RegistryLog {
  /** Holds everything that was in the log when it was asked for. */
  readCurrent(): Promise<KnownRegistry>;
}

const readTimeoutMs = 30_000;

/** The registry in memory, read on from where it was left each time somebody asks. */
export const createRegistryLog = (store: Pick<EventStore, 'subscribe'>, log: Log): RegistryLog => {
  const registry = emptyRegistry();
  const revisions = new Map<string, bigint>();
  let last: bigint | 'start' = 'start';
  let reading: Promise<unknown> = Promise.resolve();

  const take = (event: LogEvent) => {
    applyRegistryEvent(registry, event, log);
    revisions.set(event.stream, event.revision);
    last = event.position;
  };

  const readOn = async () => {
    const stop = new AbortController();
    const toEnd = async () => {
      const told = store.subscribe({ after: last, prefixes: [streamPrefixes.registry], signal: stop.signal });
      for await (const next of told) {
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
      // One reader at a time: who asks later must not get an answer from before.
      const next = reading.then(readOn);
      reading = next.catch(() => undefined);
      return next;
    },
  };
};
