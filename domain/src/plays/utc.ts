import { instantMs, instantOf } from '@popsvc/contracts/time';

/** An instant that was checked at the door, in the house's one form. */
export const utc = (text: string): string => {
  const ms = instantMs(text);
  if (ms === undefined) throw new RangeError(`Not an instant: ${JSON.stringify(text)}`);
  return instantOf(ms);
};
