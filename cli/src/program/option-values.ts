import { instantMs } from '@popsvc/contracts/time';
import { InvalidArgumentError } from 'commander';

/** Readers of option values; what they throw is wrong usage. */
export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}.`);
  };

export const networkId = wholeNumber(1);

export const networkIds = (text: string): number[] => text.split(',').map((part) => networkId(part.trim()));

/** A position in the log, as lists tell it. */
export const position = (text: string): string => {
  if (/^\d{1,19}$/.test(text)) return text;
  throw new InvalidArgumentError('must be a position of the log.');
};

/** Networks by their ids, or every one there is. */
export const analystNetworks = (text: string): number[] | 'all' => (text === 'all' ? text : networkIds(text));

export const instant = (text: string): string => {
  if (instantMs(text) === undefined)
    throw new InvalidArgumentError('must be an ISO 8601 timestamp with Z or an offset, such as 2027-01-31T00:00:00Z.');
  return text;
};
