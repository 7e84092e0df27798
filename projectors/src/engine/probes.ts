import { randomUUID } from 'node:crypto';
import { ProbeEmitted, probeStream } from '@popsvc/contracts/events';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Log } from '@popsvc/platform/telemetry';

const everyMs = 10_000;

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

/** A future time, which a difference of clocks can cause, does not count as fresh. */
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

/** While there are no other events, probes advance checkpoints and keep the reported freshness correct. */
export const emitProbes = (store: EventStore, log: Log): (() => void) => {
  const logFailure = (err: unknown) => log.warn({ err }, 'failed to append freshness probe event');
  const emit = async () => {
    if (!(await isFresh(store))) await emitProbe(store);
  };
  const heartbeat = () => void emit().catch(logFailure);
  void emitProbe(store).catch(logFailure);
  const timer = setInterval(heartbeat, everyMs);
  return () => clearInterval(timer);
};
