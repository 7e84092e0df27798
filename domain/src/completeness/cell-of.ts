import type { Cell } from '@popsvc/contracts/completeness';

/** What was seen of a screen in an hour. */
export interface HourSeen {
  /** Whether the hour has begun. */
  readonly hasBegun: boolean;
  /** Whether the screen was registered before the hour was over, on a device; with effect from earlier on counts from then. */
  readonly isRegistered: boolean;
  /** A play that stands began. */
  readonly played: boolean;
  /** The device was heard. */
  readonly heard: boolean;
  /** Something of an outage of the device came late. */
  readonly backfilled: boolean;
}

/** What says most of an hour: a repaired gap before a play, a play before a sign of life. */
export const cellOf = ({ hasBegun, isRegistered, played, heard, backfilled }: HourSeen): Cell => {
  if (!hasBegun) return '-';
  if (backfilled) return 'b';
  if (played) return 'p';
  if (heard) return 's';
  return isRegistered ? 'o' : '-';
};
