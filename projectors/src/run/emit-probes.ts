import { randomUUID } from 'node:crypto';
import { ProbeEmitted, probeStream } from '@popsvc/contracts/events';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Log } from '@popsvc/platform/runtime';

const everyMs = 10_000;

/** One more event for every projection. */
export const emitProbe = async (store: Pick<EventStore, 'append'>): Promise<void> => {
  const emittedAt = new Date().toISOString();
  await store.append(probeStream('projectors'), [
    {
      id: randomUUID(),
      type: ProbeEmitted.type,
      data: { service: 'projectors', emittedAt },
      metadata: { schemaVersion: ProbeEmitted.version, receivedAt: emittedAt },
    },
  ]);
};

/**
 * Writes a probe to the log now and every ten seconds: quiet projections move on, and what reports say of their freshness
 * stays true without traffic.
 */
export const emitProbes = (store: EventStore, log: Log): (() => void) => {
  const beat = () => void emitProbe(store).catch((err: unknown) => log.warn({ err }, 'a probe was not written'));
  beat();
  const timer = setInterval(beat, everyMs);
  return () => clearInterval(timer);
};
