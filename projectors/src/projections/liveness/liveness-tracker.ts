import { isDeepStrictEqual } from 'node:util';
import { HeartbeatsRecorded, ProbeEmitted, type RecordedHeartbeat } from '@popsvc/contracts/events';
import {
  applyReceipt,
  applyRecordedChange,
  applySilence,
  classifyHeartbeat,
  type Liveness,
  type LivenessChange,
  type LivenessSubject,
  readLivenessChange,
} from '@popsvc/domain/status';
import type { LivenessState } from '@popsvc/platform/postgres';
import { type LogItem, readItem } from '../../engine/log-items.ts';

/** A change to online or offline that is not in the log yet. */
export interface UnrecordedChange {
  readonly change: LivenessChange;
  /** Id of the event whose heartbeat revealed the change; undefined if missing heartbeats revealed it, or if that event is unknown. */
  readonly causationId: string | undefined;
}

export interface TrackedSubject extends LivenessSubject {
  network: number;
  /** State after all detected changes, also those that are not in the log; undefined before the first heartbeat. */
  liveness: Liveness | undefined;
  /** Revision of the last event read from the subject's liveness stream; undefined if the stream is empty. */
  revision: bigint | undefined;
  /** Changes that are not in the log yet, in the order in which they must be appended. */
  unrecorded: readonly UnrecordedChange[];
}

const newSubject = ({ kind, id }: LivenessSubject, network: number): TrackedSubject => ({
  kind,
  id,
  network,
  liveness: undefined,
  revision: undefined,
  unrecorded: [],
});

const fromStored = ({ kind, id, network, revision, ...liveness }: LivenessState): TrackedSubject => ({
  kind,
  id,
  network,
  liveness,
  revision,
  unrecorded: [],
});

/** Returns the state to store in PostgreSQL; undefined before the first heartbeat, and while a change is not in the log. */
const toStored = ({ kind, id, network, liveness, revision, unrecorded }: TrackedSubject): LivenessState | undefined =>
  liveness && revision !== undefined && unrecorded.length === 0
    ? { kind, id, network, revision, ...liveness }
    : undefined;

const withCause =
  (causationId: string | undefined) =>
  (change: LivenessChange): UnrecordedChange => ({ change, causationId });

const applyReceiptTo = (subject: TrackedSubject, receivedMs: number, causationId: string | undefined): void => {
  const { state, changes } = applyReceipt(subject.liveness, receivedMs);
  subject.liveness = state;
  if (changes.length > 0) subject.unrecorded = [...subject.unrecorded, ...changes.map(withCause(causationId))];
};

/** Updates a device or feeder from which no heartbeat was received until `untilMs`. Returns whether it went offline. */
const applySilenceTo = (subject: TrackedSubject, untilMs: number): boolean => {
  if (!subject.liveness) return false;
  const { state, changes } = applySilence(subject.liveness, untilMs);
  subject.liveness = state;
  subject.unrecorded = [...subject.unrecorded, ...changes.map(withCause(undefined))];
  return changes.length > 0;
};

/** Drops the first `count` unrecorded changes, which the stream contains now. `revision`: the last revision of the stream. */
export const markRecorded = (subject: TrackedSubject, count: number, revision: bigint): void => {
  subject.unrecorded = subject.unrecorded.slice(count);
  subject.revision = revision;
};

/**
 * Applies an event of the subject's liveness stream. Apply events in stream order; a repeated one has no effect. `change`: undefined if the
 * event cannot be read.
 *
 * An event that equals the first unrecorded change records it. Another event comes from a process that had read other heartbeats. Its
 * change is applied, and the unrecorded changes are discarded and derived again from the new state.
 */
export const applyStreamEvent = (
  subject: TrackedSubject,
  revision: bigint,
  change: LivenessChange | undefined,
): void => {
  if (subject.revision !== undefined && revision <= subject.revision) return;
  subject.revision = revision;
  if (!change) return;
  const [next, ...rest] = subject.unrecorded;
  if (next && isDeepStrictEqual(next.change, change)) {
    subject.unrecorded = rest;
    return;
  }
  const recorded = applyRecordedChange(subject.liveness, change);
  subject.liveness = recorded;
  subject.unrecorded = [];
  applyReceiptTo(subject, recorded.lastReceivedMs, undefined);
};

/** Whether each device and feeder is online, in memory. */
export interface LivenessTracker {
  restore(state: LivenessState): void;
  /** Applies an item. If it cannot be read, throws and leaves the tracker unchanged. */
  apply(item: LogItem): void;
  /** When the newest applied probe was received, in ms since 1970; 0 before the first one. */
  readonly logClockMs: number;
  /**
   * Finds at most `limit` subjects that are marked as online, but from which no heartbeat was received in the 300 s before `untilMs`. Marks
   * them as offline and returns them.
   */
  detectSilent(untilMs: number, limit: number): readonly TrackedSubject[];
  withUnrecordedChanges(): readonly TrackedSubject[];
  /** Returns the states that changed since the last call and have no unrecorded change. */
  takeRecordedStates(): readonly LivenessState[];
}

export const createLivenessTracker = (): LivenessTracker => {
  const subjects = new Map<string, TrackedSubject>();
  const changed = new Set<TrackedSubject>();
  let logClockMs = 0;

  const keyOf = ({ kind, id }: LivenessSubject) => `${kind}.${id}`;
  const subjectToChange = (subject: LivenessSubject, network: number): TrackedSubject => {
    const key = keyOf(subject);
    const tracked = subjects.get(key) ?? newSubject(subject, network);
    subjects.set(key, tracked);
    changed.add(tracked);
    return tracked;
  };

  const applyHeartbeat = ({ eventId, metadata, recordedAtMs }: LogItem, heartbeat: RecordedHeartbeat) => {
    const { network, receivedAt } = metadata;
    const { countedMs, ...subject } = classifyHeartbeat(heartbeat, {
      receivedMs: Date.parse(receivedAt),
      recordedMs: recordedAtMs,
    });
    if (countedMs === undefined || network === undefined) return;
    const tracked = subjectToChange(subject, network);
    tracked.network = network;
    applyReceiptTo(tracked, countedMs, eventId);
  };

  return {
    restore: (state) => void subjects.set(keyOf(state), fromStored(state)),
    apply(item) {
      const { type, revision, metadata } = item;
      const data = readItem(item);
      // The newest probe of the log counts, even if an earlier one has a later time. Otherwise, one probe of a process whose clock is ahead
      // would make all devices and feeders look silent until its time has passed.
      if (type === ProbeEmitted.type) logClockMs = Date.parse(metadata.receivedAt);
      else if (type === HeartbeatsRecorded.type) applyHeartbeat(item, data as RecordedHeartbeat);
      else {
        const recorded = readLivenessChange(type, data);
        if (recorded)
          applyStreamEvent(subjectToChange(recorded.subject, metadata.network ?? 0), revision, recorded.change);
      }
    },
    get logClockMs() {
      return logClockMs;
    },
    detectSilent(untilMs, limit) {
      const silent: TrackedSubject[] = [];
      for (const subject of subjects.values()) {
        if (silent.length === limit) break;
        if (!applySilenceTo(subject, untilMs)) continue;
        changed.add(subject);
        silent.push(subject);
      }
      return silent;
    },
    withUnrecordedChanges: () => [...changed].filter(({ unrecorded }) => unrecorded.length > 0),
    takeRecordedStates() {
      const states: LivenessState[] = [];
      for (const subject of changed) {
        const state = toStored(subject);
        if (!state) continue;
        states.push(state);
        changed.delete(subject);
      }
      return states;
    },
  };
};
