import { reportLimits } from '@popsvc/contracts/responses';
import type { RouteRequest } from '@popsvc/platform/http';
import { type Cursor, cursorOf } from './cursor.ts';
import { formatOf, type PageFormat, pageFormats } from './format.ts';
import { Parameters } from './parameters.ts';
import { pageQuerySchema } from './query-schemas.ts';
import { limitOf, offsetOf, siteIdsOf } from './whole-number.ts';
import { type Window, windowOf } from './window.ts';

export type Sort = 'asc' | 'desc';

/** What a page of a report is asked for with (service.md 4.11, 4.13; decisions 6). */
export interface PageAsked {
  readonly window: Window;
  readonly siteIds: readonly number[];
  readonly limit: number;
  readonly sort: Sort;
  /** Where it begins; a cursor goes before an offset. */
  readonly after: Cursor | undefined;
  readonly offset: number;
  readonly format: PageFormat;
}

const known = Object.keys(pageQuerySchema(true).shape);

export const pageAsked = (request: Pick<RouteRequest, 'query' | 'header'>, dates: boolean): PageAsked => {
  const parameters = new Parameters(request.query, known);
  const window = windowOf(parameters, dates);
  const siteIds = siteIdsOf(parameters);
  const limit = limitOf(parameters) ?? reportLimits.limit.standard;
  const sort = sortOf(parameters);
  const after = afterOf(parameters);
  const offset = offsetOf(parameters);
  const format = formatOf(parameters, request.header('accept'), pageFormats);
  parameters.settle();
  return { window, siteIds, limit, sort, after, offset: after ? 0 : offset, format };
};

const sortOf = (parameters: Parameters): Sort => {
  const sort = parameters.text('sort') ?? 'asc';
  if (sort === 'asc' || sort === 'desc') return sort;
  return parameters.refuse('sort', 'sort must be asc or desc', 'asc');
};

const afterOf = (parameters: Parameters): Cursor | undefined => {
  const text = parameters.text('after');
  if (text === undefined) return undefined;
  return (
    cursorOf(text) ??
    parameters.refuse<Cursor | undefined>(
      'after',
      'after must be an ISO 8601 datetime with Z or an offset, or the next_after of a page',
      undefined,
    )
  );
};
