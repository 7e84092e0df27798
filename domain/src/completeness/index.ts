import type { Cell } from '@popsvc/contracts/completeness';

export interface HourObservations {
  readonly hasBegun: boolean;
  /** Whether the screen was registered before the end of the hour and belonged to a device at the start of the hour. */
  readonly isRegistered: boolean;
  /** Whether the site is open at any time in the hour. */
  readonly isOpen: boolean;
  readonly playStarted: boolean;
  readonly heartbeatReceived: boolean;
  /** The device was recorded as offline in the hour, but heartbeats or plays from that hour arrived later. */
  readonly backfilled: boolean;
}

export const isHourExpected = ({ hasBegun, isRegistered, isOpen }: HourObservations): boolean =>
  hasBegun && isRegistered && isOpen;

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
