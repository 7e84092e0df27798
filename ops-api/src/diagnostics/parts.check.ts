import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { failed, type Finding, ok, warning } from './finding.ts';

/** Parts of one partition: past the first merges do not keep up; soon after the second inserts are refused. */
const [many, tooMany] = [300, 1_500];

interface Worst {
  readonly table: string;
  readonly parts: number;
}

const partsSql = `
  SELECT table, toFloat64(count()) AS parts FROM system.parts WHERE active AND database = currentDatabase()
  GROUP BY table, partition_id ORDER BY parts DESC LIMIT 1`;

const advice =
  'Merges do not keep up: look at CPU and disk of ClickHouse, and at mutations (system.mutations). Inserts are refused at 3,000.';

export const lookAtParts = async ({ writer }: Pick<DiagnosticsDependencies, 'writer'>): Promise<readonly Finding[]> => {
  const check = 'parts of clickhouse';
  const [worst] = await writer.rows<Worst>(partsSql, { timeoutMs: 3_000 });
  if (!worst) return [ok(check, 'none yet')];
  const text = `${worst.table} has ${worst.parts} parts in one partition`;
  if (worst.parts > tooMany) return [failed(check, text, advice)];
  return [worst.parts > many ? warning(check, text, advice) : ok(check, `${text}, the most of all`)];
};
