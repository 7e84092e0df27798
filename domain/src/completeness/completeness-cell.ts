import type { Cell } from '@popsvc/contracts/completeness';

/** What was seen of a screen in an hour. */
export interface HourObservations {
  /** Whether the hour has begun. */
  readonly hasBegun: boolean;
  /** Whether the screen was registered before the hour was over, on a device; with effect from earlier on counts from then. */
  readonly isRegistered: boolean;
  /** A play that stands began. */
  readonly playStarted: boolean;
  /** The device was heard. */
  readonly heartbeatReceived: boolean;
  /** Something of an outage of the device came late. */
  readonly backfilled: boolean;
}

/** What says most of an hour: a repaired gap before a play, a play before a sign of life. */
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
