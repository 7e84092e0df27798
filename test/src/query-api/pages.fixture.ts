import { expect } from 'chai';
import { bearer, type World } from './world.fixture.ts';

export interface Page {
  readonly total: number;
  readonly limit: number;
  readonly next_after: string | null;
  readonly count: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export type Asked = Readonly<Record<string, string | number>>;

export const address = (path: string, asked: Asked): string =>
  `${path}?${new URLSearchParams(Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)])).toString()}`;

/** A page that was answered with 200, in the envelope of the contract. */
export const pageAt = async (world: World, path: string, asked: Asked, token: string): Promise<Page> => {
  const answer = await world.get(address(path, asked), bearer(token));
  const text = await answer.text();
  expect(answer.status, text).equal(200);
  const body = JSON.parse(text) as { status: boolean; message: string; data: Page };
  expect(Object.keys(body)).deep.equal(['status', 'message', 'data']);
  expect(body.status).equal(true);
  expect(body.message).a('string').and.not.empty;
  expect(Object.keys(body.data)).deep.equal(['total', 'limit', 'next_after', 'count', 'rows']);
  expect(body.data.count).equal(body.data.rows.length);
  return body.data;
};

/** All pages, by following next_after; each but the last must be full. */
export const follow = async (world: World, path: string, asked: Asked, token: string): Promise<readonly Page[]> => {
  const pages: Page[] = [];
  let after: string | null = null;
  do {
    const page: Page = await pageAt(world, path, { ...asked, ...(after !== null && { after }) }, token);
    if (page.next_after !== null) expect(page.count, 'a page before the last').equal(page.limit);
    pages.push(page);
    after = page.next_after;
  } while (after !== null);
  return pages;
};

export const rowsOf = (pages: readonly Page[]) => pages.flatMap(({ rows }) => rows);
