import type { Readable } from 'node:stream';
import type { StreamFormat } from './reader-settings.ts';
import type { Sql } from './sql.ts';

export interface QueryOptions {
  /** When it is aborted, the query is stopped. */
  readonly signal?: AbortSignal;
  readonly onBytes?: (bytes: Buffer) => void;
}

/** The reading side of ClickHouse. What fails is UNAVAILABLE, or an error of ours that tells the caller nothing. */
export interface ClickHouseReader {
  /** The whole answer in JSONEachRow: a line a row. */
  lines(query: Sql, options?: QueryOptions): Promise<Buffer>;
  rows<Row>(query: Sql, options?: QueryOptions): Promise<Row[]>;
  /** The answer as the server writes it, never parsed; it fails where the server fails, also midway. */
  stream(query: Sql, format: StreamFormat, options?: QueryOptions): Promise<Readable>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
