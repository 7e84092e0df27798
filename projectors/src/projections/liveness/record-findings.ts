import { livenessStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { readLivenessChange, toLivenessEvent, livenessEventId } from '@popsvc/domain/status';
import { type EventStore, type LogEvent, type NewEvent, WrongExpectedVersion } from '@popsvc/platform/event-store';
import type { Clock } from '@popsvc/platform/runtime';
import pLimit from 'p-limit';
import { readEvent } from '../../engine/read-event.ts';
import { note, settle, type Watched } from './watched.ts';

export interface RecordingParts {
  readonly store: Pick<EventStore, 'append' | 'readStream'>;
  readonly clock: Clock;
  readonly onRecorded?: ((findings: Watched['findings']) => void) | undefined;
}

/** A whole fleet may change at once; the log takes so many at a time. */
const lanes = 32;
/** Somebody else writes to the stream, which happens while a lease changes hands. */
const mostTries = 5;

const eventsOf = (watched: Watched, nowMs: number): NewEvent[] => {
  const first = (watched.revision ?? -1n) + 1n;
  return watched.findings.map(({ change, causationId }, index) => {
    const { type, schemaVersion, data } = toLivenessEvent(watched, change);
    return {
      id: livenessEventId(watched, change, first + BigInt(index)),
      type,
      data,
      metadata: {
        schemaVersion,
        receivedAt: instantOf(nowMs),
        network: watched.network,
        ...(causationId !== undefined && { causationId }),
      },
    };
  });
};

/** What an event of such a stream tells; nothing where it cannot be read: one that a newer build wrote must not stop all others. */
const toldBy = (event: LogEvent) => {
  try {
    return readLivenessChange(event.type, readEvent(event))?.change;
  } catch {
    return undefined;
  }
};

const recordOne = async ({ store, clock, onRecorded }: RecordingParts, watched: Watched): Promise<void> => {
  const stream = livenessStream(watched.kind, watched.id);
  for (let tries = 1; watched.findings.length > 0; tries += 1) {
    const { findings, revision: known } = watched;
    try {
      const { revision } = await store.append(stream, eventsOf(watched, clock.now()), {
        expected: known ?? 'no_stream',
      });
      settle(watched, findings.length, revision);
      onRecorded?.(findings);
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion) || tries === mostTries) throw error;
      for await (const event of store.readStream(stream, { from: (known ?? -1n) + 1n }))
        note(watched, event.revision, toldBy(event));
    }
  }
};

/**
 * Records what was found, each change right after the one before it in its stream, many streams at a time. What stands there
 * already, from an earlier life or another process, is not written again. Throws when the log does not take it; what is left
 * is still to be recorded then.
 */
export const recordFindings = async (parts: RecordingParts, all: readonly Watched[]): Promise<void> => {
  const inLane = pLimit(lanes);
  const failures: unknown[] = [];
  const recordIfWell = async (watched: Watched) => {
    if (failures.length > 0) return;
    await recordOne(parts, watched).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(all.map((watched) => inLane(recordIfWell, watched)));
  if (failures.length > 0) throw failures[0] as Error;
};
