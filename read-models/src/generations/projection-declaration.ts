import type { TableDefinition, ViewDefinition } from '@popsvc/platform/clickhouse';

/** The registry comes first: the views of the other projections look names up in its dictionaries. */
export const projectionNames = ['registry', 'coffee', 'watcher-summary', 'uptime', 'status', 'jobs'] as const;
export type ProjectionName = (typeof projectionNames)[number];

/** A projection as far as its tables, its readers and operators depend on it; the projectors add how it folds events. */
export interface ProjectionDeclaration {
  readonly name: ProjectionName;
  /** Increases when the same events produce other rows: generations of an older version are outdated until a replay. */
  readonly version: number;
  /** Prefixes of the streams it reads. */
  readonly reads: readonly string[];
  /** Prefixes of the streams whose events it folds into state when it starts. */
  readonly recalls: readonly string[];
  readonly tables: readonly TableDefinition[];
  /** Views in addition to the one that each table has. */
  readonly views?: readonly ViewDefinition[];
}
