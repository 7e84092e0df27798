import { HeartbeatRecorded, ProbeEmitted } from '@popsvc/contracts/events';
import { readLivenessChange, classifyHeartbeat, type LivenessSubject } from '@popsvc/domain/status';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { LivenessState } from '@popsvc/platform/postgres';
import { readEvent } from '../../engine/read-event.ts';
import { hear, note, stateOf, unheard, wait, type Watched, watchedOf } from './watched.ts';

/** Everything under watch, in memory. */
export interface Watch {
  /** What was known before. */
  recall(state: LivenessState): void;
  /** Throws on an event that cannot be read, and is as before. */
  take(event: LogEvent): void;
  /** Up to when the log is known by the clock of its last probe, ms since 1970. */
  readonly seenMs: number;
  /** At most so many that were online and are offline, if nothing was heard up to an instant. */
  silent(untilMs: number, most: number): readonly Watched[];
  /** Those with something to record. */
  unrecorded(): readonly Watched[];
  /** What changed since the last call and has nothing left to record. */
  states(): readonly LivenessState[];
}

export const createWatch = (): Watch => {
  const all = new Map<string, Watched>();
  const changed = new Set<Watched>();
  let seenMs = 0;

  const keyOf = ({ kind, id }: LivenessSubject) => `${kind}.${id}`;
  const of = (subject: LivenessSubject, network: number): Watched => {
    const key = keyOf(subject);
    const watched = all.get(key) ?? unheard(subject, network);
    all.set(key, watched);
    changed.add(watched);
    return watched;
  };

  const takeBeat = ({ id, metadata, recordedAtMs }: LogEvent, beat: HeartbeatRecorded) => {
    const { network, receivedAt } = metadata;
    const { countedMs, ...subject } = classifyHeartbeat(beat, {
      receivedMs: Date.parse(receivedAt),
      recordedMs: recordedAtMs,
    });
    if (countedMs === undefined || network === undefined) return;
    const watched = of(subject, network);
    watched.network = network;
    hear(watched, countedMs, id);
  };

  return {
    recall: (state) => void all.set(keyOf(state), watchedOf(state)),
    take(event) {
      const { type, revision, metadata } = event;
      const data = readEvent(event);
      // Not the latest of all: by a clock that once ran ahead everybody would be silent until its time has come.
      if (type === ProbeEmitted.type) seenMs = Date.parse(metadata.receivedAt);
      else if (type === HeartbeatRecorded.type) takeBeat(event, data as HeartbeatRecorded);
      else {
        const told = readLivenessChange(type, data);
        if (told) note(of(told.subject, metadata.network ?? 0), revision, told.change);
      }
    },
    get seenMs() {
      return seenMs;
    },
    silent(untilMs, most) {
      const found: Watched[] = [];
      for (const watched of all.values()) {
        if (found.length === most) break;
        if (!wait(watched, untilMs)) continue;
        changed.add(watched);
        found.push(watched);
      }
      return found;
    },
    unrecorded: () => [...changed].filter(({ findings }) => findings.length > 0),
    states() {
      const states: LivenessState[] = [];
      for (const watched of changed) {
        const state = stateOf(watched);
        if (!state) continue;
        states.push(state);
        changed.delete(watched);
      }
      return states;
    },
  };
};
