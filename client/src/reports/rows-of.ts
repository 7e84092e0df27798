import type { Page, PageWish } from './pages.ts';

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
