import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { progressTable } from '@popsvc/read-models/tables';
import type { TestSystem } from '../../support/test-system.ts';

export interface Part {
  readonly table: string;
  readonly name: string;
  readonly path: string;
  /** 0 for a part that was merged into another and is still on disk. */
  readonly active: number;
}

/** Reads the parts of a generation's tables. */
export const partsOf = ({ writer }: TestSystem, tables: readonly string[], generation = 2): Promise<Part[]> =>
  writer.rows<Part>(
    `SELECT table, name, path, toUInt8(active) AS active FROM system.parts
     WHERE database = currentDatabase() AND table IN {tables:Array(String)} ORDER BY table, name`,
    { params: { tables: tables.map((table) => `${table}_g${generation}`) } },
  );

/** Lets the progress look written before the machine crashed. */
export const pretendCrash = (writer: ClickHouseWriter, projection: string): Promise<void> =>
  writer.run(
    `ALTER TABLE ${progressTable(projection)} UPDATE run_at = run_at - INTERVAL 1 SECOND WHERE true SETTINGS mutations_sync = 1`,
  );

let restarts = 0;

/** Drops parts on a running server, and lets it look restarted after a crash of the machine. */
export const pretendRestart = async (system: TestSystem, lost: readonly Part[]): Promise<ClickHouseWriter> => {
  restarts += 1;
  for (const { table, name, active } of lost)
    if (active) await system.writer.run(`ALTER TABLE ${table} DROP PART '${name}'`);
  const asRestarted = (row: Record<string, unknown>) => ({
    ...row,
    // A resume point has the run that wrote the progress, too, which stays.
    ...('current_run' in row
      ? { current_run: Number(row['current_run']) + restarts }
      : 'run' in row && { run: Number(row['run']) + restarts }),
  });
  const { writer } = system;
  return {
    ...writer,
    rows: async <Row>(...given: Parameters<ClickHouseWriter['rows']>) =>
      (await writer.rows<Record<string, unknown>>(...given)).map(asRestarted) as Row[],
  };
};
