import { instantMs } from '@popsvc/contracts/time';
import { InvalidArgumentError } from 'commander';

/** The parser throws InvalidArgumentError, which Commander reports as a usage error. */
export const parseWholeNumber =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}.`);
  };

export const parseNetworkId = parseWholeNumber(1);

export const parseNetworkIds = (text: string): number[] => text.split(',').map((part) => parseNetworkId(part.trim()));

export const parseNetworkIdsOrAll = (text: string): number[] | 'all' => (text === 'all' ? text : parseNetworkIds(text));

export const parseItemPosition = (text: string): string => {
  if (/^\d{1,16}(:\d{1,4})?$/.test(text)) return text;
  throw new InvalidArgumentError('must be a position as listed: position:index, such as 73142:3.');
};

export const parseInstant = (text: string): string => {
  if (instantMs(text) === undefined)
    throw new InvalidArgumentError('must be an ISO 8601 timestamp with Z or an offset, such as 2027-01-31T00:00:00Z.');
  return text;
};
