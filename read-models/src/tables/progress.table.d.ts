/** How far each generation of a projection is written; the mirror beside the data of the checkpoint in PostgreSQL. */
export declare const progress: {
  readonly name: 'progress';
  readonly about: 'Batches that each projection has written whole: those of a week before its newest one, and what was not dropped yet.';
  readonly orderBy: readonly ['projection', 'generation', 'pos'];
  readonly replacing: {};
  readonly fields: {
    projection: import('@popsvc/platform/clickhouse').Field;
    generation: import('@popsvc/platform/clickhouse').Field;
    pos: import('@popsvc/platform/clickhouse').Field;
    as_of: import('@popsvc/platform/clickhouse').Field;
    rows: import('@popsvc/platform/clickhouse').Field;
    epoch: import('@popsvc/platform/clickhouse').Field;
    written_at: import('@popsvc/platform/clickhouse').Field;
  };
};
//# sourceMappingURL=progress.table.d.ts.map
