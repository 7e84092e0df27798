import { expect } from 'chai';
import { bearer, type TestQueryApi } from './test-query-api.fixture.ts';

export interface Page {
  readonly total: number;
  readonly limit: number;
  readonly next_after: string | null;
  readonly count: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export type Parameters = Readonly<Record<string, string | number>>;

const formatPath = (path: string, parameters: Parameters): string =>
  `${path}?${new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)])).toString()}`;

/** Reads a page, and expects status 200 and the envelope of the contract. */
export const readPage = async (
  api: TestQueryApi,
  path: string,
  parameters: Parameters,
  token: string,
): Promise<Page> => {
  const answer = await api.get(formatPath(path, parameters), bearer(token));
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

/** Reads all pages by `next_after`, and expects that each but the last is full. */
export const readAllPages = async (
  api: TestQueryApi,
  path: string,
  parameters: Parameters,
  token: string,
): Promise<readonly Page[]> => {
  const pages: Page[] = [];
  let after: string | null = null;
  do {
    const page: Page = await readPage(api, path, { ...parameters, ...(after !== null && { after }) }, token);
    if (page.next_after !== null) expect(page.count, 'a page before the last').equal(page.limit);
    pages.push(page);
    after = page.next_after;
  } while (after !== null);
  return pages;
};

export const rowsOf = (pages: readonly Page[]) => pages.flatMap(({ rows }) => rows);
