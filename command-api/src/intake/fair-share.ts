import { type ApiErrorDetail, maxErrorDetails } from '@popsvc/contracts/errors';

/**
 * At most 100 complaints. Every bad item is named before any is named twice, so that none hides behind another's many faults;
 * they stand in the order of the request.
 */
export const fairShare = (complaints: readonly (readonly ApiErrorDetail[])[]): readonly ApiErrorDetail[] => {
  const shares = complaints.slice(0, maxErrorDetails).map(() => 1);
  let left = maxErrorDetails - shares.length;
  shares.forEach((_, index) => {
    const more = Math.min(left, complaints[index]!.length - 1);
    shares[index]! += more;
    left -= more;
  });
  return shares.flatMap((share, index) => complaints[index]!.slice(0, share));
};
