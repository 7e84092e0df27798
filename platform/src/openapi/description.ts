/** A group of operations, by the beginnings of their paths. */
export interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly paths: readonly string[];
}

/** What a server says of itself in its OpenAPI document, beside its routes. */
export interface ServiceDescription {
  readonly title: string;
  /** CommonMark. */
  readonly description: string;
  /** Of the interface, not of the program: a change that callers notice changes it. */
  readonly version: string;
  /** In the order in which they are told; the longest beginning of a path decides. */
  readonly groups: readonly OperationGroup[];
  /** Where access tokens are given out: an address, or a path of this server. */
  readonly tokenUrl?: string;
}
