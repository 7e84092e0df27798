import { instantMs } from '@popsvc/contracts/time';
import { InvalidArgumentError } from 'commander';

/** Creates a parser for whole numbers. All parsers of option values throw InvalidArgumentError, which is reported as wrong usage. */
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

/** Parses the position of an event in the log. Positions may exceed the safe integers, so they stay text. */
export const parsePosition = (text: string): string => {
  if (/^\d{1,19}$/.test(text)) return text;
  throw new InvalidArgumentError('must be a position of the log.');
};

export const parseInstant = (text: string): string => {
  if (instantMs(text) === undefined)
    throw new InvalidArgumentError('must be an ISO 8601 timestamp with Z or an offset, such as 2027-01-31T00:00:00Z.');
  return text;
};
