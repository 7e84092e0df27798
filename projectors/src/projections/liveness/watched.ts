import { isDeepStrictEqual } from 'node:util';
import {
  applyRecordedChange,
  type LivenessChange,
  applyReceipt,
  type Liveness,
  applySilence,
  type LivenessSubject,
} from '@popsvc/domain/status';
import type { LivenessState } from '@popsvc/platform/postgres';

/** A change that was found and is not recorded yet. */
export interface Finding {
  readonly change: LivenessChange;
  /** The heartbeat that showed it; none when time did. */
  readonly causationId: string | undefined;
}

/** A device or feeder under watch. What is found is recorded next; then it is what `revision` says. */
export interface Watched extends LivenessSubject {
  network: number;
  /** Undefined before it was ever heard. */
  is: Liveness | undefined;
  /** Of the last change in its stream that is known; undefined: of none. */
  revision: bigint | undefined;
  findings: readonly Finding[];
}

export const unheard = ({ kind, id }: LivenessSubject, network: number): Watched => ({
  kind,
  id,
  network,
  is: undefined,
  revision: undefined,
  findings: [],
});

export const watchedOf = ({ kind, id, network, revision, ...is }: LivenessState): Watched => ({
  kind,
  id,
  network,
  is,
  revision,
  findings: [],
});

/** As PostgreSQL keeps it; undefined while there is something to record first. */
export const stateOf = ({ kind, id, network, is, revision, findings }: Watched): LivenessState | undefined =>
  is && revision !== undefined && findings.length === 0 ? { kind, id, network, revision, ...is } : undefined;

const finding =
  (causationId: string | undefined) =>
  (change: LivenessChange): Finding => ({ change, causationId });

/** A counted receipt. */
export const hear = (watched: Watched, receivedMs: number, causationId: string | undefined): void => {
  const { state: state, changes } = applyReceipt(watched.is, receivedMs);
  watched.is = state;
  if (changes.length > 0) watched.findings = [...watched.findings, ...changes.map(finding(causationId))];
};

/** Nothing else was heard up to an instant. Whether it is offline by that. */
export const wait = (watched: Watched, untilMs: number): boolean => {
  if (!watched.is) return false;
  const { state: state, changes } = applySilence(watched.is, untilMs);
  watched.is = state;
  watched.findings = [...watched.findings, ...changes.map(finding(undefined))];
  return changes.length > 0;
};

/** What was found is recorded, up to a revision. */
export const settle = (watched: Watched, many: number, revision: bigint): void => {
  watched.findings = watched.findings.slice(many);
  watched.revision = revision;
};

/**
 * What stands in its stream, in the order there; undefined for an event of a newer build. What is as it was found is recorded
 * by that. Anything else was found by somebody who knew more or less: it stands, and what follows from it is found anew.
 */
export const note = (watched: Watched, revision: bigint, change: LivenessChange | undefined): void => {
  if (watched.revision !== undefined && revision <= watched.revision) return;
  watched.revision = revision;
  if (!change) return;
  const [next, ...rest] = watched.findings;
  if (next && isDeepStrictEqual(next.change, change)) {
    watched.findings = rest;
    return;
  }
  const known = applyRecordedChange(watched.is, change);
  watched.is = known;
  watched.findings = [];
  hear(watched, known.lastReceivedMs, undefined);
};
