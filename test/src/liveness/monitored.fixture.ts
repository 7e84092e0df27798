import { randomUUID } from 'node:crypto';
import { intakeStream, type HeartbeatRecorded, probeStream, streamPrefixes } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import {
  type LivenessChange,
  applyReceipt,
  type Liveness,
  readLivenessChange,
  applySilence,
  type LivenessSubject,
} from '@popsvc/domain/status';
import type { EventStore, LogEvent, NewEvent } from '@popsvc/platform/event-store';
import type { Postgres } from '@popsvc/platform/postgres';
import {
  createLivenessMonitor,
  type LivenessMonitor,
  type LivenessMonitorDependencies,
} from '@popsvc/projectors/projections/liveness';
import { type Ground, log } from '../message-bus/buses.fixture.ts';

/** Whatever the wall clock says: what is found out about whom depends on receipts and probes alone. */
export const time = { startMs: Date.parse('2026-08-20T14:00:00.000Z') };

/** A later start: by then everything that was heard before is offline. */
export const nextDay = async (ground: Pick<Ground, 'store' | 'postgres'>) => {
  time.startMs += 86_400_000;
  await monitored(ground).sweepAt(0);
};

export const at = (seconds: number) => instantOf(time.startMs + seconds * 1_000);

const metadata = (seconds: number) => ({ schemaVersion: 1, receivedAt: at(seconds), network: 1, vendor: 'acme' });
type Beat = Partial<Omit<HeartbeatRecorded, 'at'>> & { readonly at?: number };

/** A heartbeat received so many seconds after the start; `at` the same unless it is told. */
export const beat = (received: number, { at: alive = received, ...of }: Beat): NewEvent => ({
  id: randomUUID(),
  type: 'HeartbeatRecorded',
  data: { ...of, at: at(alive) },
  metadata: metadata(received),
});

export const tellBeats = (store: EventStore, beats: readonly NewEvent[]) =>
  store.append(intakeStream('heartbeat', 1, 'acme', time.startMs), beats);

export const probe = (store: EventStore, seconds: number) =>
  store.append(probeStream('test'), [
    {
      id: randomUUID(),
      type: 'ProbeEmitted',
      data: { service: 'test', emittedAt: at(seconds) },
      metadata: metadata(seconds),
    },
  ]);

export interface Monitored {
  readonly monitor: LivenessMonitor;
  /** Follows until so many seconds after the start, and all that is in the log by now, are known. */
  until(seconds: number): Promise<void>;
  /** Sweeps while it follows, so many seconds after the start by its own clock. */
  sweepAt(seconds: number, probedAt?: number): Promise<number>;
}

/** A monitor that follows the log up to its end when a test says so. */
export const monitored = (
  ground: Pick<Ground, 'store' | 'postgres'>,
  parts: Partial<LivenessMonitorDependencies> = {},
): Monitored => {
  let nowMs = time.startMs;
  const clock = { now: () => nowMs };
  const monitor = createLivenessMonitor({ owner: 'test', log, clock, ageMs: 5, ...ground, ...parts });
  const follow = async (seconds: number, atEnd: () => Promise<void>) => {
    nowMs = time.startMs + seconds * 1_000;
    const { position } = await probe(ground.store, seconds);
    const end = new AbortController();
    const endings: Promise<void>[] = [];
    await monitor.follow(end.signal, (events) => {
      if (events.at(-1)!.position < position) return;
      if (endings.length > 0) return;
      const ending = atEnd().finally(() => end.abort());
      // It is awaited below, once nothing is followed any more.
      ending.catch(() => undefined);
      endings.push(ending);
    });
    await Promise.all(endings);
  };
  return {
    monitor,
    until: (seconds) => follow(seconds, () => Promise.resolve()),
    async sweepAt(seconds, probedAt = seconds) {
      let found = 0;
      await follow(probedAt, async () => {
        nowMs = time.startMs + seconds * 1_000;
        found = await monitor.sweep();
        // What was found is kept with the next move.
        await probe(ground.store, probedAt);
      });
      return found;
    },
  };
};

/** Events of liveness in the log, in its order. */
export const logged = async (store: EventStore): Promise<LogEvent[]> => {
  const [events, stop]: [LogEvent[], AbortController] = [[], new AbortController()];
  for await (const told of store.subscribe({
    after: 'start',
    prefixes: [streamPrefixes.liveness],
    signal: stop.signal,
  })) {
    if (told.kind === 'caught-up') break;
    events.push(told.event);
  }
  stop.abort();
  return events;
};

/** What the log says of one, in seconds after the start: `+0` online, `-300` offline. */
export const changesOf = async (store: EventStore, { kind, id }: LivenessSubject): Promise<string> => {
  const seconds = (ms: number) => String((ms - time.startMs) / 1_000);
  const told = (await logged(store)).flatMap(({ stream, type, data }) =>
    stream === `liveness-${kind}.${id}` ? [readLivenessChange(type, data)!.change] : [],
  );
  return told.map((change) => toldShort(change, seconds)).join(' ');
};

const toldShort = (change: LivenessChange, seconds: (ms: number) => string): string => {
  if (change.status === 'offline') return `-${seconds(change.offlineAtMs)}`;
  const { onlineAtMs, offlineSinceMs } = change;
  return `+${seconds(onlineAtMs)}${onlineAtMs === offlineSinceMs ? '!' : ''}`;
};

/** What should be recorded of receipts that came in order, seconds after the start. */
export const expected = (receipts: readonly number[], sweptAt: number): string => {
  let is: Liveness | undefined;
  const changes: LivenessChange[] = [];
  const took = (step: { state: Liveness; changes: readonly LivenessChange[] }) => {
    is = step.state;
    changes.push(...step.changes);
  };
  for (const receipt of receipts) took(applyReceipt(is, time.startMs + receipt * 1_000));
  if (is) took(applySilence(is, time.startMs + sweptAt * 1_000));
  return changes.map((change) => toldShort(change, (ms) => String((ms - time.startMs) / 1_000))).join(' ');
};

/** PostgreSQL forgets all that the monitor knew. */
export const forget = async (postgres: Postgres): Promise<void> => {
  await postgres.query('TRUNCATE liveness');
  await postgres.query(`DELETE FROM checkpoints WHERE projection = 'liveness'`);
};
