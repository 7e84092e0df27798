import { randomUUID } from 'node:crypto';
import { intakeStream, type RecordedHeartbeat, probeStream, streamPrefixes } from '@popsvc/contracts/events';
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
import { type TestStores, log } from '../message-bus/bus.fixture.ts';
import { listEvent } from '../support/list-events.ts';

/** The time of the tests. The monitor's results depend on receipts and probes only, not on the wall clock. */
export const time = { startMs: Date.parse('2026-08-20T14:00:00.000Z') };

/** Moves the start to the next day, when all earlier subjects are offline. */
export const nextDay = async (ground: Pick<TestStores, 'store' | 'postgres'>) => {
  time.startMs += 86_400_000;
  await monitored(ground).sweepAt(0);
};

export const at = (seconds: number) => instantOf(time.startMs + seconds * 1_000);

const metadata = (seconds: number) => ({ schemaVersion: 1, receivedAt: at(seconds), network: 1, vendor: 'acme' });
type Beat = Partial<Omit<RecordedHeartbeat, 'at'>> & { readonly at?: number };

/** A heartbeat received so many seconds after the start; `at` is the same unless given. */
export const heartbeat = (received: number, { at: alive = received, ...of }: Beat): NewEvent => ({
  id: randomUUID(),
  ...listEvent('HeartbeatsRecorded', { ...of, at: at(alive) }),
  metadata: metadata(received),
});

export const appendHeartbeats = (store: EventStore, beats: readonly NewEvent[]) =>
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
  /** Follows until the monitor has read the log so far and a probe so many seconds after the start. */
  until(seconds: number): Promise<void>;
  /** Sweeps while it follows; its clock is so many seconds after the start. */
  sweepAt(seconds: number, probedAt?: number): Promise<number>;
}

/** A monitor that follows the log to its end on demand. */
export const monitored = (
  ground: Pick<TestStores, 'store' | 'postgres'>,
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
      // It is awaited below, after the monitor stopped following.
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
        // The next position saves the recorded states.
        await probe(ground.store, probedAt);
      });
      return found;
    },
  };
};

/** The liveness events in the log, in log order. */
export const readLivenessEvents = async (store: EventStore): Promise<LogEvent[]> => {
  const [events, stop]: [LogEvent[], AbortController] = [[], new AbortController()];
  for await (const item of store.subscribe({
    after: 'start',
    prefixes: [streamPrefixes.liveness],
    signal: stop.signal,
  })) {
    if (item.kind === 'caught-up') break;
    events.push(item.event);
  }
  stop.abort();
  return events;
};

/** The recorded changes of a subject, in seconds after the start: `+0` online, `-300` offline, `!` an outage of length 0. */
export const changesOf = async (store: EventStore, { kind, id }: LivenessSubject): Promise<string> => {
  const seconds = (ms: number) => String((ms - time.startMs) / 1_000);
  const changes = (await readLivenessEvents(store)).flatMap(({ stream, type, data }) =>
    stream === `liveness-${kind}.${id}` ? [readLivenessChange(type, data)!.change] : [],
  );
  return changes.map((change) => shortForm(change, seconds)).join(' ');
};

const shortForm = (change: LivenessChange, seconds: (ms: number) => string): string => {
  if (change.status === 'offline') return `-${seconds(change.offlineAtMs)}`;
  const { onlineAtMs, offlineSinceMs } = change;
  return `+${seconds(onlineAtMs)}${onlineAtMs === offlineSinceMs ? '!' : ''}`;
};

/** The changes to expect for receipts in order, in seconds after the start. */
export const expected = (receipts: readonly number[], sweptAt: number): string => {
  let state: Liveness | undefined;
  const changes: LivenessChange[] = [];
  const applyStep = (step: { state: Liveness; changes: readonly LivenessChange[] }) => {
    state = step.state;
    changes.push(...step.changes);
  };
  for (const receipt of receipts) applyStep(applyReceipt(state, time.startMs + receipt * 1_000));
  if (state) applyStep(applySilence(state, time.startMs + sweptAt * 1_000));
  return changes.map((change) => shortForm(change, (ms) => String((ms - time.startMs) / 1_000))).join(' ');
};

/** Deletes all that the monitor stored in PostgreSQL. */
export const clearStoredStates = async (postgres: Postgres): Promise<void> => {
  await postgres.query('TRUNCATE liveness');
  await postgres.query(`DELETE FROM checkpoints WHERE projection = 'liveness'`);
};
