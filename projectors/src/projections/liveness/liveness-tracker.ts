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
  /** State after all detected changes, also unrecorded ones; undefined before the first heartbeat. */
  liveness: Liveness | undefined;
  /** Revision of the last event that was read from or appended to the subject's liveness stream; undefined if the stream is empty. */
  revision: bigint | undefined;
  /** In the order in which they must be appended. */
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

/** Undefined before the first heartbeat, and while a change is not in the log. */
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

const applySilenceTo = (subject: TrackedSubject, untilMs: number): boolean => {
  if (!subject.liveness) return false;
  const { state, changes } = applySilence(subject.liveness, untilMs);
  subject.liveness = state;
  subject.unrecorded = [...subject.unrecorded, ...changes.map(withCause(undefined))];
  return changes.length > 0;
};

export const markRecorded = (subject: TrackedSubject, count: number, revision: bigint): void => {
  subject.unrecorded = subject.unrecorded.slice(count);
  subject.revision = revision;
};

/**
 * Apply events in stream order; a repeated one has no effect. An event that differs from the first unrecorded change comes from a process
 * that had read other heartbeats.
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

export interface LivenessTracker {
  restore(state: LivenessState): void;
  /** If the item cannot be read, throws and leaves the tracker unchanged. */
  apply(item: LogItem): void;
  /** When the newest applied probe was received, in ms since 1970; 0 before the first one. */
  readonly logClockMs: number;
  /** Marks at most `limit` subjects as offline from which no heartbeat was received in the 300 s before `untilMs`. */
  detectSilent(untilMs: number, limit: number): readonly TrackedSubject[];
  withUnrecordedChanges(): readonly TrackedSubject[];
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
      // The newest probe counts, not the latest time: after a probe of a process whose clock is ahead, all devices would look silent.
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
