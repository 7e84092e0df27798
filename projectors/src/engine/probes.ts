import { randomUUID } from 'node:crypto';
import { ProbeEmitted, probeStream } from '@popsvc/contracts/events';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Log } from '@popsvc/platform/telemetry';

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

/** Whether somebody wrote one so late that ours would be one too many. By another clock than ours it may lie ahead. */
const isFresh = async (store: Pick<EventStore, 'readStream'>): Promise<boolean> => {
  for await (const { recordedAtMs } of store.readStream(probeStream('projectors'), {
    direction: 'backwards',
    max: 1,
  })) {
    const ageMs = Date.now() - recordedAtMs;
    return ageMs >= 0 && ageMs < 0.8 * everyMs;
  }
  return false;
};

/**
 * Writes a probe to the log now and every ten seconds, unless another process does: quiet projections move on, and what
 * reports say of their freshness stays true without traffic.
 */
export const emitProbes = (store: EventStore, log: Log): (() => void) => {
  const tell = (err: unknown) => log.warn({ err }, 'a probe was not written');
  const emit = async () => {
    if (!(await isFresh(store))) await emitProbe(store);
  };
  const beat = () => void emit().catch(tell);
  void emitProbe(store).catch(tell);
  const timer = setInterval(beat, everyMs);
  return () => clearInterval(timer);
};
