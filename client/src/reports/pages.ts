import { type Api, dataOf, omitUndefined, checkOptions } from '../http/api.ts';
import type { CoffeeRow, QueryPaths, WatcherSummaryRow } from '../types.ts';
import { reportFields, reportQuery, type ReportOptions, scopeInit } from './options.ts';

export interface PageOptions extends ReportOptions {
  /** Page size in rows, 1 to 5,000. */
  readonly limit?: number | undefined;
  /** Order by time; default ascending. */
  readonly sort?: 'asc' | 'desc' | undefined;
  /** The `next_after` of the previous page, or an instant after which to start. */
  readonly after?: string | undefined;
  /** Rows to skip; cannot be combined with `after`. */
  readonly offset?: number | undefined;
}

export interface Page<Row> {
  /** Number of rows in the whole window. */
  readonly total: number;
  readonly limit: number;
  /** Number of rows in this page. */
  readonly count: number;
  /** Pass as `after` for the next page; null on the last page. */
  readonly next_after: string | null;
  readonly rows: readonly Row[];
  /** The report contains everything received until this time. */
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

/** Reads reports page by page. */
export const createPages = (api: () => Api<QueryPaths>) => ({
  coffeePage: async (options: PageOptions): Promise<Page<CoffeeRow>> =>
    pageOf(await api().GET('/api/v1/coffee', initOf(options))),
  watcherSummaryPage: async (options: PageOptions): Promise<Page<WatcherSummaryRow>> =>
    pageOf(await api().GET('/api/v1/watcher-summary', initOf(options))),
});

/** The largest page size gives the fewest requests. */
const maxPageRows = 5_000;

/** Iterates over all rows; fetches the next page when the previous one is consumed. */
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
