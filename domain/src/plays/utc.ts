import { instantMs, instantOf } from '@popsvc/contracts/time';

/** An instant that was checked at the door, in the house's one form. */
export const toUtcInstant = (text: string): string => {
  const ms = instantMs(text);
  if (ms === undefined) throw new RangeError(`Not an instant: ${JSON.stringify(text)}`);
  return isHouseForm(text) ? text : instantOf(ms);
};

/** Whether an instant is written as the house writes it already; most senders do, and writing it again is the dearer part. */
const isHouseForm = (instant: string): boolean =>
  instant.length === 24 && instant[10] === 'T' && instant[19] === '.' && instant[23] === 'Z';
