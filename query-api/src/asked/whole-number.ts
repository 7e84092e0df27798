import { reportLimits } from '@popsvc/contracts/responses';
import type { Parameters } from './parameters.ts';

const digits = /^(?:0|[1-9]\d{0,15})$/;

/** A whole number in plain decimal digits; undefined for anything else, also for `+5`, `1e3` and `05`. */
export const wholeNumber = (text: string): number | undefined => {
  const value = digits.test(text) ? Number(text) : undefined;
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
};

const { least, most } = reportLimits.limit;

export const limitOf = (parameters: Parameters): number | undefined => {
  const text = parameters.text('limit');
  if (text === undefined) return undefined;
  const limit = wholeNumber(text);
  if (limit !== undefined && limit >= least && limit <= most) return limit;
  return parameters.refuse('limit', `limit must be a whole number between ${least} and ${most}`, least);
};

/** How many rows to skip. */
export const offsetOf = (parameters: Parameters): number => {
  const text = parameters.text('offset');
  if (text === undefined) return 0;
  return wholeNumber(text) ?? parameters.refuse('offset', 'offset must be a whole number that is not negative', 0);
};

/** The id of something registered; 0 when the text is none. */
export const idOf = (parameters: Parameters, name: string, text: string): number => {
  const id = wholeNumber(text);
  return id !== undefined && id >= 1 ? id : parameters.refuse(name, `${name} must be a positive whole number`, 0);
};

/** Each once, in order; empty when none is asked for. */
export const idsOf = (parameters: Parameters, name: 'site_id' | 'location_id'): readonly number[] => {
  const ids = parameters.texts(name).map((text) => {
    const id = wholeNumber(text);
    if (id !== undefined && id >= 1) return id;
    return parameters.refuse(name, `${name} must be a positive whole number; repeat the parameter for several`, 0);
  });
  return [...new Set(ids)];
};

export const siteIdsOf = (parameters: Parameters): readonly number[] => idsOf(parameters, 'site_id');
