import { type Api, dataOf, present, refuseOthers } from '../http/api.ts';
import type { CoffeeRow, QueryPaths, WatcherSummaryRow } from '../types.ts';
import { reportFields, reportQuery, type ReportWish, scopeInit } from './options.ts';

export interface PageWish extends ReportWish {
  /** Rows a page, 1 to 5,000. */
  readonly limit?: number | undefined;
  /** By time; default ascending. */
  readonly sort?: 'asc' | 'desc' | undefined;
  /** The `next_after` of the page before, or an instant after which to begin. */
  readonly after?: string | undefined;
  /** Rows to skip; not beside `after`. */
  readonly offset?: number | undefined;
}

export interface Page<Row> {
  /** Rows of the whole window. */
  readonly total: number;
  readonly limit: number;
  /** Rows of this page. */
  readonly count: number;
  /** To be sent as `after`; null on the last page. */
  readonly next_after: string | null;
  readonly rows: readonly Row[];
  /** Everything the service received until then is in the report. */
  readonly asOf: string | undefined;
}

interface Answer<Row> {
  data?: { data: Omit<Page<Row>, 'asOf'> } | undefined;
  response: Response;
}

const pageOf = <Row>(answer: Answer<Row>): Page<Row> => ({
  ...dataOf(answer).data,
  asOf: answer.response.headers.get('x-data-as-of') ?? undefined,
});

const fields = { ...reportFields, limit: true, sort: true, after: true, offset: true } as const;

const initOf = (wish: PageWish) => {
  refuseOthers(wish, fields);
  const { limit, sort, after, offset } = wish;
  return {
    params: { query: { ...reportQuery(wish), ...present({ limit, sort, after, offset }) } },
    ...scopeInit(wish),
  };
};

/** Reports, a page at a time. */
export const pages = (api: () => Api<QueryPaths>) => ({
  coffeePage: async (wish: PageWish): Promise<Page<CoffeeRow>> =>
    pageOf(await api().GET('/api/v1/coffee', initOf(wish))),
  watcherSummaryPage: async (wish: PageWish): Promise<Page<WatcherSummaryRow>> =>
    pageOf(await api().GET('/api/v1/watcher-summary', initOf(wish))),
});

/** As many as a page may hold: the fewest requests. */
const standardLimit = 5_000;

/** All rows, page by page; the next page is asked for when the one before is used up. */
export async function* rowsOf<Row>(
  pageOf: (wish: PageWish) => Promise<Page<Row>>,
  wish: Omit<PageWish, 'offset'>,
): AsyncGenerator<Row, void, void> {
  let after: string | null | undefined = wish.after;
  do {
    const page: Page<Row> = await pageOf({ ...wish, limit: wish.limit ?? standardLimit, after });
    yield* page.rows;
    after = page.next_after ?? undefined;
  } while (after !== undefined);
}
