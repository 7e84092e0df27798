import { type ClickHouseWriter, hasServerErrorType } from '@popsvc/platform/clickhouse';
import { claimPartToCheck, type GenerationKey, type Postgres } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from './generations.ts';
import { onEachServer, syncTables } from './replicas.ts';
import type { FoundDamage } from './table-parts.ts';

/** Ten minutes, or the time at 10 MB/s if that is longer. */
const checkTimeoutMs = (bytes: number): number => Math.max(600_000, bytes / 10_000);

/** Errors for a part or table that was merged or dropped meanwhile. */
const goneErrors = ['NO_SUCH_DATA_PART', 'UNKNOWN_TABLE'];

interface CheckResult {
  readonly part_path: string;
  readonly is_passed: number;
  readonly message: string;
}

const maxProblemLength = 300;

/** Undefined if all bytes match their checksums, or if the part no longer exists. */
const checkPart = async (
  writer: ClickHouseWriter,
  { table, part, bytes }: { readonly table: string; readonly part: string; readonly bytes: number },
): Promise<FoundDamage | undefined> => {
  const query = `CHECK TABLE ${table} PART '${part}' SETTINGS check_query_single_value_result = 0`;
  const results = await writer
    .rows<CheckResult>(query, { timeoutMs: checkTimeoutMs(bytes) })
    .catch((error: unknown): CheckResult[] => {
      if (hasServerErrorType(error, goneErrors)) return [];
      throw error;
    });
  const failed = results.find(({ is_passed: isPassed }) => !isPassed);
  return failed && { table, part, problem: failed.message.slice(0, maxProblemLength), isDroppable: true };
};

/** A replica of a cluster that finds a part damaged fetches it from another replica, so the part is checked again. */
const checkOrFetchPart = async (
  writer: ClickHouseWriter,
  part: Parameters<typeof checkPart>[1],
): Promise<FoundDamage | undefined> => {
  const found = await checkPart(writer, part);
  if (!found || writer.cluster === undefined) return found;
  await syncTables(writer, [part.table]);
  return checkPart(writer, part);
};

const partsSql = `SELECT table, name AS part, toFloat64(bytes_on_disk) AS bytes FROM system.parts
  WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)} ORDER BY table, name`;

const skipReplica = (): void => undefined;

export const findDamagedParts = async (
  writer: ClickHouseWriter,
  tables: readonly string[],
): Promise<readonly FoundDamage[]> => {
  const damage: FoundDamage[] = [];
  const check = async (server: ClickHouseWriter) => {
    const parts = await server.rows<{ table: string; part: string; bytes: number }>(partsSql, { params: { tables } });
    for (const part of parts) {
      const found = await checkOrFetchPart(server, part);
      if (found) damage.push(found);
    }
  };
  await onEachServer(writer, check, skipReplica);
  return damage;
};

const checkEveryDays = 7;

/** A higher rate could slow down reports. */
const bytesPerSecond = 8_000_000;

/** The shortest pause after the check of a part, and the pause when no part has to be checked. */
const [shortestPauseMs, idlePauseMs] = [5_000, 300_000];

const sizeSql = `SELECT toFloat64(bytes_on_disk) AS bytes FROM system.parts
  WHERE active AND database = currentDatabase() AND table = {table:String} AND name = {part:String}`;

export interface BackgroundCheck {
  readonly damage?: (GenerationKey & { readonly found: FoundDamage }) | undefined;
  readonly pauseMs: number;
}

/** Checks a part that was never checked, else the one checked longest ago; none if all were checked in `checkEveryDays` days. */
export const checkNextPart = async (
  postgres: Postgres,
  writer: ClickHouseWriter,
  projections: readonly Pick<ProjectionDeclaration, 'name'>[],
): Promise<BackgroundCheck> => {
  const names = projections.map(({ name }) => name);
  const next = await claimPartToCheck(postgres, { projections: names, days: checkEveryDays });
  if (!next) return { pauseMs: idlePauseMs };
  const { projection, generation, table, part } = next;
  let checkedBytes = 0;
  let found: FoundDamage | undefined;
  const check = async (server: ClickHouseWriter) => {
    const [size] = await server.rows<{ bytes: number }>(sizeSql, { params: { table, part } });
    // The part no longer exists, for example because it was merged after the list was stored.
    if (!size) return;
    checkedBytes += size.bytes;
    found ??= await checkOrFetchPart(server, { table, part, bytes: size.bytes });
  };
  await onEachServer(writer, check, skipReplica);
  if (found) return { damage: { projection, generation, found }, pauseMs: shortestPauseMs };
  return { pauseMs: checkedBytes === 0 ? 0 : Math.max(shortestPauseMs, (checkedBytes / bytesPerSecond) * 1_000) };
};
