import type { RouteRequest } from '@popsvc/platform/http';
import { type DownloadFormat, downloadFormats, formatOf } from './format.ts';
import { Parameters } from './parameters.ts';
import { downloadQuerySchema } from './query-schemas.ts';
import { limitOf, offsetOf, siteIdsOf } from './whole-number.ts';
import { type Window, windowOf } from './window.ts';

/** What a download is asked for with (service.md 4.12, 4.13; decisions 5.8). */
export interface DownloadAsked {
  readonly window: Window;
  readonly siteIds: readonly number[];
  /** Undefined: all rows. */
  readonly limit: number | undefined;
  readonly offset: number;
  readonly format: DownloadFormat;
  /** Whether text that a spreadsheet would run as a formula is made harmless. */
  readonly excelSafe: boolean;
}

const unsupported = ['after', 'sort'];
const known = [...Object.keys(downloadQuerySchema(true).shape), ...unsupported];

export const downloadAsked = (request: Pick<RouteRequest, 'query' | 'header'>, dates: boolean): DownloadAsked => {
  const parameters = new Parameters(request.query, known);
  for (const name of unsupported)
    if (parameters.has(name)) parameters.refuse(name, `${name} is not supported on downloads`, undefined);
  const format = formatOf(parameters, request.header('accept'), downloadFormats);
  const asked = {
    window: windowOf(parameters, dates),
    siteIds: siteIdsOf(parameters),
    limit: limitOf(parameters),
    offset: offsetOf(parameters),
    format,
    excelSafe: excelSafeOf(parameters, format),
  };
  parameters.settle();
  return asked;
};

const excelSafeOf = (parameters: Parameters, format: DownloadFormat): boolean => {
  const text = parameters.text('excel_safe');
  if (text === undefined) return false;
  if (format !== 'csv') return parameters.refuse('excel_safe', 'excel_safe is for CSV alone', false);
  if (text === 'true' || text === 'false') return text === 'true';
  return parameters.refuse('excel_safe', 'excel_safe must be true or false', false);
};
