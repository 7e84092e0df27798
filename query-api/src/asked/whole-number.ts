import type { Parameters } from './parameters.ts';

const digits = /^(?:0|[1-9]\d{0,15})$/;

/** A whole number in plain decimal digits; undefined for anything else, also for `+5`, `1e3` and `05`. */
export const wholeNumber = (text: string): number | undefined => {
  const value = digits.test(text) ? Number(text) : undefined;
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
};

export const limitOf = (parameters: Parameters): number | undefined => {
  const text = parameters.text('limit');
  if (text === undefined) return undefined;
  const limit = wholeNumber(text);
  if (limit !== undefined && limit >= 1 && limit <= 5_000) return limit;
  return parameters.refuse('limit', 'limit must be a whole number between 1 and 5000', 1);
};

/** How many rows to skip. */
export const offsetOf = (parameters: Parameters): number => {
  const text = parameters.text('offset');
  if (text === undefined) return 0;
  return wholeNumber(text) ?? parameters.refuse('offset', 'offset must be a whole number that is not negative', 0);
};

/** Each once, in order; empty when none is asked for. */
export const siteIdsOf = (parameters: Parameters): readonly number[] => {
  const ids = parameters.texts('site_id').map((text) => {
    const id = wholeNumber(text);
    if (id !== undefined && id >= 1) return id;
    return parameters.refuse('site_id', 'site_id must be a positive whole number; repeat the parameter for several', 0);
  });
  return [...new Set(ids)];
};
