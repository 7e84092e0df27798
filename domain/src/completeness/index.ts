import type { Cell } from '@popsvc/contracts/completeness';

/** What is known about a screen in a given hour. */
export interface HourObservations {
  readonly hasBegun: boolean;
  /**
   * Whether the screen was registered before the end of the hour and belonged to a device at the start of the hour. A screen counts
   * as registered from the `effective_from` of its device if that time is earlier than the registration.
   */
  readonly isRegistered: boolean;
  /** Whether the site of the screen is open at any time in the hour. */
  readonly isOpen: boolean;
  readonly playStarted: boolean;
  readonly heartbeatReceived: boolean;
  /** Whether the device was recorded as offline in the hour, but heartbeats or plays from that hour arrived later. */
  readonly backfilled: boolean;
}

/** Returns whether the screen should have played in the hour. */
export const isHourExpected = ({ hasBegun, isRegistered, isOpen }: HourObservations): boolean =>
  hasBegun && isRegistered && isOpen;

/**
 * Returns the status that the completeness report shows for an hour. If several statuses apply, `backfilled` takes precedence,
 * then `playing`, `closed`, `silent` and `offline`, in this order.
 */
export const completenessCell = ({
  hasBegun,
  isRegistered,
  isOpen,
  playStarted,
  heartbeatReceived,
  backfilled,
}: HourObservations): Cell => {
  if (!isRegistered && !hasBegun) return '-';
  const isClosed = isRegistered && !isOpen;
  if (!hasBegun) return isClosed ? 'c' : 'e';
  if (backfilled) return 'b';
  if (playStarted) return 'p';
  if (isClosed) return 'c';
  if (heartbeatReceived) return 's';
  return isRegistered ? 'o' : '-';
};
