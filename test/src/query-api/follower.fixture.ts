import { expect } from 'chai';
import type { DatasetName } from './changing-report.fixture.ts';

export type Row = Record<string, unknown>;
type Change =
  | { readonly op: 'upsert'; readonly key: number; readonly row: Row }
  | { readonly op: 'delete'; readonly key: number }
  | { readonly op: 'rename'; readonly kind: string; readonly id: number; readonly columns: Row };

interface ReadChanges {
  readonly changes: readonly Change[];
  readonly next: string;
  readonly hasMore: boolean;
}
/** Requests `/api/v1/{dataset}{path}?{query}`. */
export type Get = (
  dataset: DatasetName,
  path: string,
  query?: string,
) => Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>;
type Read = (since: string | undefined) => Promise<ReadChanges>;

const sinceQuery = (since: string | undefined) => (since === undefined ? '' : `&since=${since}`);

/** Reads changes in pages. */
export const inPages =
  (get: Get, dataset: DatasetName, query: string): Read =>
  async (since) => {
    const { status, text } = await get(dataset, '/changes', `${query}${sinceQuery(since)}`);
    expect(status, text).to.equal(200);
    const { data } = JSON.parse(text) as { data: { changes: Change[]; next_since: string; has_more: boolean } };
    return { changes: data.changes, next: data.next_since, hasMore: data.has_more };
  };

const toChange = ({ OP, KEY, VERSION: _, RENAMED_KIND, RENAMED_ID, RENAMED_TO, ...row }: Row): Change => {
  if (OP !== 'rename') return OP === 'delete' ? { op: OP, key: Number(KEY) } : { op: 'upsert', key: Number(KEY), row };
  const kind = RENAMED_KIND as string;
  return { op: 'rename', kind, id: Number(RENAMED_ID), columns: { [`${kind.toUpperCase()}_NAME`]: RENAMED_TO } };
};

/** Reads changes in NDJSON files. */
export const inFiles =
  (get: Get, dataset: DatasetName, query: string): Read =>
  async (since) => {
    const found = await get(dataset, '/changes/download', `${query}${sinceQuery(since)}`);
    expect(found.status, found.text).to.equal(200);
    const lines = found.text.split('\n').filter(Boolean);
    return {
      changes: lines.map((line) => toChange(JSON.parse(line) as Row)),
      next: found.headers.get('x-next-since')!,
      hasMore: found.headers.get('x-has-more') === 'true',
    };
  };

/** A reader that keeps a report by its changes. */
export class Follower {
  readonly rows = new Map<number, Row>();
  since: string | undefined;
  changes = 0;
  readonly #read: Read;

  constructor(read: Read) {
    this.#read = read;
  }

  async poll(): Promise<void> {
    for (let hasMore = true; hasMore;) {
      const found = await this.#read(this.since);
      for (const change of found.changes) this.#apply(change);
      this.changes += found.changes.length;
      ({ next: this.since, hasMore } = found);
    }
  }

  #apply(change: Change): void {
    if (change.op === 'upsert') this.rows.set(change.key, change.row);
    else if (change.op === 'delete') this.rows.delete(change.key);
    else {
      const idColumn = change.kind === 'camera' ? 'CAM_ID' : `${change.kind.toUpperCase()}_ID`;
      for (const row of this.rows.values()) if (row[idColumn] === change.id) Object.assign(row, change.columns);
    }
  }
}

/** Rows without the time at which they were written, in an order of their own. */
export const sortRows = (rows: Iterable<Row>) =>
  [...rows].map(({ SILVER_STAGE_TIMESTAMP: _, ...row }) => JSON.stringify(row)).sort();
