import type { Fields } from '@popsvc/platform/http';
import { Parameters } from './parameters.ts';
import { limitOf, offsetOf, siteIdsOf } from './whole-number.ts';
import { type Window, windowOf } from './window.ts';

/** What a download is asked for with (service.md 4.12, 4.13; decisions 5.8). */
export interface DownloadAsked {
  readonly window: Window;
  readonly siteIds: readonly number[];
  /** Undefined: all rows. */
  readonly limit: number | undefined;
  readonly offset: number;
  /** Whether text that a spreadsheet would run as a formula is made harmless. */
  readonly excelSafe: boolean;
}

const known = ['from', 'to', 'site_id', 'limit', 'offset', 'excel_safe', 'after', 'sort'];

export const downloadAsked = (query: Fields, dates: boolean): DownloadAsked => {
  const parameters = new Parameters(query, known);
  for (const name of ['after', 'sort'])
    if (parameters.has(name)) parameters.refuse(name, `${name} is not supported on downloads`, undefined);
  const asked = {
    window: windowOf(parameters, dates),
    siteIds: siteIdsOf(parameters),
    limit: limitOf(parameters),
    offset: offsetOf(parameters),
    excelSafe: excelSafeOf(parameters),
  };
  parameters.settle();
  return asked;
};

const excelSafeOf = (parameters: Parameters): boolean => {
  const text = parameters.text('excel_safe') ?? 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  return parameters.refuse('excel_safe', 'excel_safe must be true or false', false);
};
