import { streamPrefixes } from '@popsvc/contracts/events';
import { promptAppendMs } from '@popsvc/domain/status';
import {
  subscribeWithLease,
  type LeasedSubscriptionDependencies,
  LeaseHeldElsewhere,
} from '@popsvc/platform/message-bus';
import type { LogEvent } from '@popsvc/platform/event-store';
import { saveLivenessStates } from '@popsvc/platform/postgres';
import { type Clock, systemClock } from '@popsvc/platform/runtime';
import { type Log } from '@popsvc/platform/telemetry';
import pLimit from 'p-limit';
import { LeaseLost } from '../../engine/final.ts';
import { type RecordingParts, recordFindings } from './record-findings.ts';
import { recalled } from './recalled.ts';
import type { Watch } from './watch.ts';

/** Under this name its lease is held and its position kept. */
export const livenessName = 'liveness';

/** What the monitor recorded is read, too: an earlier life may have recorded it, or another process. */
export const livenessStreams: readonly string[] = [
  streamPrefixes.heartbeat,
  streamPrefixes.liveness,
  streamPrefixes.probe,
];

const maxEvents = 2_000;
/** Between two slices of a sweep heartbeats are taken. */
const sliceOfSweep = 500;
/** Who has not seen the log of the last minute may miss the heartbeats of everybody. */
const staleMs = 60_000;

export interface LivenessMonitorDependencies
  extends LeasedSubscriptionDependencies, Pick<RecordingParts, 'onRecorded'> {
  readonly log: Log;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** How long a heartbeat waits for others; default 500. */
  readonly ageMs?: number;
}

export interface LivenessMonitor {
  /** Until the signal; throws when it cannot go on, and may be called again. */
  follow(signal: AbortSignal, onMoved?: (events: readonly LogEvent[]) => void): Promise<void>;
  /** Finds those that fell silent; how many. None while somebody else follows, or the log was not read up to now. */
  sweep(): Promise<number>;
}

/**
 * Finds out who went online and offline, and records each change once, on the stream of the device or feeder. What is known
 * of them is kept in PostgreSQL in one transaction with the position in the log; a change is in the log before that.
 */
export const createLivenessMonitor = ({
  log,
  clock = systemClock,
  ageMs = 500,
  onRecorded,
  ...parts
}: LivenessMonitorDependencies): LivenessMonitor => {
  const recording: RecordingParts = { store: parts.store, clock, onRecorded };
  /** Heartbeats and sweeps work on the same states. */
  const inTurn = pLimit(1);
  let watching: Watch | undefined;

  const take = (watch: Watch, event: LogEvent) => {
    try {
      watch.take(event);
    } catch (err) {
      const { stream, type, position } = event;
      log.warn({ err, stream, type, position: String(position) }, 'the monitor of liveness passes over an event');
    }
  };

  const handle = (events: readonly LogEvent[]) =>
    inTurn(async () => {
      // Not before the lease is held: until then somebody else writes what is read here.
      const watch = (watching ??= await recalled(parts.postgres));
      for (const event of events) take(watch, event);
      await recordFindings(recording, watch.unrecorded());
    });

  return {
    async follow(signal, onMoved) {
      watching = undefined;
      try {
        await subscribeWithLease(
          parts,
          {
            name: livenessName,
            prefixes: livenessStreams,
            maxEvents,
            maxWaitMs: ageMs,
            handle,
            inTransaction: (client) => saveLivenessStates(client, watching?.states() ?? []),
            ...(onMoved && { onMoved }),
          },
          signal,
        );
      } catch (error) {
        throw error instanceof LeaseHeldElsewhere ? new LeaseLost(error.message) : error;
      } finally {
        watching = undefined;
      }
    },
    async sweep() {
      let found = 0;
      for (;;) {
        const slice = await inTurn(async () => {
          const watch = watching;
          const nowMs = clock.now();
          if (!watch || nowMs - watch.seenMs > staleMs) return 0;
          const silent = watch.silent(Math.min(watch.seenMs, nowMs) - promptAppendMs, sliceOfSweep);
          await recordFindings(recording, silent);
          return silent.length;
        });
        found += slice;
        if (slice < sliceOfSweep) return found;
      }
    },
  };
};
