import type { Position } from '../audience/index.ts';

/** One telling of an interval of an app; the identity is (network, device, app, start). Milliseconds since 1970. */
export interface IntervalVersion {
  /** Null while it lasts. */
  readonly endedAtMs: number | null;
  /** Null when the app was not heard. */
  readonly lastHeartbeatAtMs: number | null;
  readonly revision: number;
  readonly position: Position;
}

/** The later the heartbeat the fresher the telling, while the interval lasts; the end of a closed one says it all. */
const heardMs = ({ endedAtMs, lastHeartbeatAtMs }: IntervalVersion): number =>
  endedAtMs === null ? (lastHeartbeatAtMs ?? -Infinity) : 0;

/**
 * Which of two tellings of one interval stands (decisions 4.7): closed beats open; among open ones the later last heartbeat;
 * then, and among closed ones at once, the higher revision, then the later in the log. So a closed interval is corrected by
 * telling it again, whether the correction was heard sooner or later.
 */
export const newerInterval = <Version extends IntervalVersion>(one: Version, other: Version): Version => {
  const isClosed = (version: Version) => version.endedAtMs !== null;
  if (isClosed(one) !== isClosed(other)) return isClosed(one) ? one : other;
  if (heardMs(one) !== heardMs(other)) return heardMs(one) > heardMs(other) ? one : other;
  if (one.revision !== other.revision) return one.revision > other.revision ? one : other;
  return one.position > other.position ? one : other;
};
