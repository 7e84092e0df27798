import type { StatementOptions } from './statements.ts';

export interface Insert {
  readonly table: string;
  readonly columns: readonly string[];
  readonly body: Buffer;
  /** Fresh in every incarnation: a token told again after a crash can lose data (exactly-once.md, fact 1). */
  readonly token: string;
}

/** The writing side of ClickHouse. Errors: ClickHouseError for what the server refuses; anything else is a broken connection. */
export interface ClickHouseWriter {
  insert(insert: Insert): Promise<void>;
  run(query: string, options?: StatementOptions): Promise<void>;
  rows<Row>(query: string, options?: StatementOptions): Promise<Row[]>;
  assertSettings(): Promise<void>;
  /** CREATE DATABASE, when there is none of the name. */
  createDatabase(): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
  readonly database: string;
  readonly credentials: { readonly username: string; readonly password: string };
}
