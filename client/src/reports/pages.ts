import { type Api, dataOf, omitUndefined, checkOptions } from '../http/api.ts';
import type { paths as QueryPaths } from '../generated/query-api.ts';
import type { CoffeeRow, PageFields, WatcherSummaryRow } from '../types.ts';
import { reportFields, reportQuery, type ReportOptions, scopeInit } from './options.ts';

export interface PageOptions extends ReportOptions {
  /** Page size in rows, 1 to 5,000. */
  readonly limit?: number | undefined;
  /** Order by time. Ascending by default. */
  readonly sort?: 'asc' | 'desc' | undefined;
  /** Where the page starts: after this time or, to continue, after the `next_after` of the previous page. */
  readonly after?: string | undefined;
  /** Number of rows to skip. Ignored if `after` is set. */
  readonly offset?: number | undefined;
}

/**
 * A page of a report. `total` is the number of rows in the whole window, and `count` is the number of rows on this page. To read
 * the next page, pass `next_after` as `after`.
 */
export interface Page<Row> extends Readonly<PageFields> {
  readonly rows: readonly Row[];
  /** The report contains all data received up to this time. */
  readonly asOf: string | undefined;
}

interface ResponseBody<Row> {
  data?: { data: Omit<Page<Row>, 'asOf'> } | undefined;
  response: Response;
}

const pageOf = <Row>(response: ResponseBody<Row>): Page<Row> => ({
  ...dataOf(response).data,
  asOf: response.response.headers.get('x-data-as-of') ?? undefined,
});

const fields = { ...reportFields, limit: true, sort: true, after: true, offset: true } as const;

const initOf = (options: PageOptions) => {
  checkOptions(options, fields);
  const { limit, sort, after, offset } = options;
  return {
    params: { query: { ...reportQuery(options), ...omitUndefined({ limit, sort, after, offset }) } },
    ...scopeInit(options),
  };
};

export const createPages = (api: () => Api<QueryPaths>) => ({
  coffeePage: async (options: PageOptions): Promise<Page<CoffeeRow>> =>
    pageOf(await api().GET('/api/v1/coffee', initOf(options))),
  watcherSummaryPage: async (options: PageOptions): Promise<Page<WatcherSummaryRow>> =>
    pageOf(await api().GET('/api/v1/watcher-summary', initOf(options))),
});

/** The maximum page size, which iterators use by default to send as few requests as possible. */
const maxPageRows = 5_000;

/** Iterates over all rows. Fetches the next page once the previous one is consumed. */
export async function* iterateRows<Row>(
  pageOf: (options: PageOptions) => Promise<Page<Row>>,
  options: Omit<PageOptions, 'offset'>,
): AsyncGenerator<Row, void, void> {
  let after: string | null | undefined = options.after;
  do {
    const page: Page<Row> = await pageOf({ ...options, limit: options.limit ?? maxPageRows, after });
    yield* page.rows;
    after = page.next_after ?? undefined;
  } while (after !== undefined);
}
