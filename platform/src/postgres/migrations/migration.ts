/** A step that is taken once, inside a transaction. One that was released is never edited: the next one is written. */
export interface Migration {
  /** Number and what it is about, `0001-api-keys`; unique, the order is that of `all.ts`. */
  readonly name: string;
  readonly sql: string;
}
