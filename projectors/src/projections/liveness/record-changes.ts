import { livenessStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { livenessEventId, readLivenessChange, toLivenessEvent } from '@popsvc/domain/status';
import { type EventStore, type LogEvent, type NewEvent, WrongExpectedVersion } from '@popsvc/platform/event-store';
import type { Clock } from '@popsvc/platform/runtime';
import pLimit from 'p-limit';
import { readEvent } from '../../engine/log-items.ts';
import { applyStreamEvent, markRecorded, type TrackedSubject } from './liveness-tracker.ts';

export interface RecordChangesDependencies {
  readonly store: Pick<EventStore, 'append' | 'readStream'>;
  readonly clock: Clock;
  readonly onRecorded?: ((changes: TrackedSubject['unrecorded']) => void) | undefined;
}

/** Bounds the appends when all devices of a fleet change at once. */
const maxConcurrentAppends = 32;
/** An append conflicts if another process writes to the stream while the lease changes hands. */
const maxAttempts = 5;

const eventsOf = (subject: TrackedSubject, nowMs: number): NewEvent[] => {
  const firstRevision = (subject.revision ?? -1n) + 1n;
  return subject.unrecorded.map(({ change, causationId }, index) => {
    const { type, schemaVersion, data } = toLivenessEvent(subject, change);
    return {
      id: livenessEventId(subject, change, firstRevision + BigInt(index)),
      type,
      data,
      metadata: {
        schemaVersion,
        receivedAt: instantOf(nowMs),
        network: subject.network,
        ...(causationId !== undefined && { causationId }),
      },
    };
  });
};

/** Undefined if the event cannot be read, for example because a newer release wrote it. */
const readChange = (event: LogEvent) => {
  try {
    return readLivenessChange(event.type, readEvent(event))?.change;
  } catch {
    return undefined;
  }
};

const recordSubject = async (
  { store, clock, onRecorded }: RecordChangesDependencies,
  subject: TrackedSubject,
): Promise<void> => {
  const stream = livenessStream(subject.kind, subject.id);
  for (let attempt = 1; subject.unrecorded.length > 0; attempt += 1) {
    const { unrecorded, revision: knownRevision } = subject;
    try {
      const { revision } = await store.append(stream, eventsOf(subject, clock.now()), {
        expected: knownRevision ?? 'no_stream',
      });
      markRecorded(subject, unrecorded.length, revision);
      onRecorded?.(unrecorded);
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion) || attempt === maxAttempts) throw error;
      for await (const event of store.readStream(stream, { from: (knownRevision ?? -1n) + 1n }))
        applyStreamEvent(subject, event.revision, readChange(event));
    }
  }
};

/**
 * The expected revision keeps a change from being appended twice. After the first error, no further stream is begun; other changes stay
 * unrecorded.
 */
export const recordChanges = async (
  dependencies: RecordChangesDependencies,
  subjects: readonly TrackedSubject[],
): Promise<void> => {
  const limitAppends = pLimit(maxConcurrentAppends);
  const failures: unknown[] = [];
  const recordUnlessFailed = async (subject: TrackedSubject) => {
    if (failures.length > 0) return;
    await recordSubject(dependencies, subject).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(subjects.map((subject) => limitAppends(recordUnlessFailed, subject)));
  if (failures.length > 0) throw failures[0] as Error;
};
