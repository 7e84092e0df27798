import type { Cell } from '@popsvc/contracts/completeness';

/** Observations of a screen in one hour. */
export interface HourObservations {
  /** Whether the hour has begun. */
  readonly hasBegun: boolean;
  /** Whether a device listed the screen before the end of the hour; an earlier `effective_from` counts. */
  readonly isRegistered: boolean;
  /** A play began. */
  readonly playStarted: boolean;
  /** The device sent a heartbeat. */
  readonly heartbeatReceived: boolean;
  /** Heartbeats or plays during an outage of the device arrived late. */
  readonly backfilled: boolean;
}

/** Chooses the cell by precedence: backfilled, playing, silent, offline. */
export const completenessCell = ({
  hasBegun,
  isRegistered,
  playStarted: playStarted,
  heartbeatReceived: heartbeatReceived,
  backfilled,
}: HourObservations): Cell => {
  if (!hasBegun) return '-';
  if (backfilled) return 'b';
  if (playStarted) return 'p';
  if (heartbeatReceived) return 's';
  return isRegistered ? 'o' : '-';
};
