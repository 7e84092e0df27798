import type { AppState } from '@popsvc/contracts/vocabulary';
import type { Position } from '@popsvc/domain/registry';
import { type AppHeartbeat, appSilenceMs, type HeartbeatRun } from '@popsvc/domain/uptime';

/** One version of an interval of an app; the identity is (network, device, app, start). Milliseconds since 1970. */
export interface IntervalVersion {
  /** Null while the interval lasts. */
  readonly endedAtMs: number | null;
  /** Null when no heartbeat came. */
  readonly lastHeartbeatAtMs: number | null;
  readonly revision: number;
  readonly position: Position;
}

/** The last heartbeat ranks open versions only; closed versions are compared by revision and position. */
const heartbeatRank = ({ endedAtMs, lastHeartbeatAtMs }: IntervalVersion): number =>
  endedAtMs === null ? (lastHeartbeatAtMs ?? -Infinity) : 0;

/**
 * Reference model of the view `current_intervals`: returns the current one of two versions of an interval.
 * Closed precedes open; among open versions the later last heartbeat wins; then, and among closed versions at once, the
 * higher revision, then the later in the log. So a vendor corrects a closed interval by sending it again, whether the
 * correction has an earlier or a later last heartbeat.
 */
export const newerInterval = <Version extends IntervalVersion>(one: Version, other: Version): Version => {
  const isClosed = (version: Version) => version.endedAtMs !== null;
  if (isClosed(one) !== isClosed(other)) return isClosed(one) ? one : other;
  if (heartbeatRank(one) !== heartbeatRank(other)) return heartbeatRank(one) > heartbeatRank(other) ? one : other;
  if (one.revision !== other.revision) return one.revision > other.revision ? one : other;
  return one.position > other.position ? one : other;
};

const continues = (run: HeartbeatRun, next: HeartbeatRun): boolean =>
  run.state === next.state && next.firstMs - run.lastMs <= appSilenceMs;

/**
 * Groups heartbeats, in any order, into runs. Production does this in SQL (query-api). Of two states at one instant `stopped`
 * counts: an app that stops reports it at the instant of its last running heartbeat, and an app that starts keeps reporting.
 */
export const groupHeartbeats = (heartbeats: readonly AppHeartbeat[]): HeartbeatRun[] => {
  const states = new Map<number, AppState>();
  for (const { atMs, state } of heartbeats) if (states.get(atMs) !== 'stopped') states.set(atMs, state);
  const runs: HeartbeatRun[] = [];
  for (const [atMs, state] of [...states].sort(([one], [other]) => one - other)) {
    const single: HeartbeatRun = { state, firstMs: atMs, lastMs: atMs };
    const run = runs.at(-1);
    if (run && continues(run, single)) runs[runs.length - 1] = { ...run, lastMs: atMs };
    else runs.push(single);
  }
  return runs;
};
