import type { Cell } from '@popsvc/contracts/completeness';

/** What is known about a screen in one hour. */
export interface HourObservations {
  /** Whether the hour has begun. */
  readonly hasBegun: boolean;
  /** Whether a device listed the screen before the end of the hour, also by an `effective_from` in the past. */
  readonly isRegistered: boolean;
  /** Whether a play began in the hour. */
  readonly playStarted: boolean;
  /** Whether the device of the screen sent a heartbeat in the hour. */
  readonly heartbeatReceived: boolean;
  /** Whether the device was recorded as offline and heartbeats or plays of that time arrived late. */
  readonly backfilled: boolean;
}

/** Chooses the cell of an hour; the first that applies of backfilled, playing, silent and offline. */
export const completenessCell = ({
  hasBegun,
  isRegistered,
  playStarted,
  heartbeatReceived,
  backfilled,
}: HourObservations): Cell => {
  if (!hasBegun) return '-';
  if (backfilled) return 'b';
  if (playStarted) return 'p';
  if (heartbeatReceived) return 's';
  return isRegistered ? 'o' : '-';
};
