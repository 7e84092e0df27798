import { type ClickHouseWriter, hasServerErrorType } from '@popsvc/platform/clickhouse';
import { claimPartToCheck, type LeaseKey, type Postgres } from '@popsvc/platform/postgres';
import type { FoundDamage } from './table-parts.ts';

/** Time limit for reading all bytes of one part, in ms: ten minutes, or longer if a large part is read at 10 MB/s. */
const checkTimeoutMs = (bytes: number): number => Math.max(600_000, bytes / 10_000);

/** The errors for a part or a table that was merged or dropped in the meantime. */
const goneErrors = ['NO_SUCH_DATA_PART', 'UNKNOWN_TABLE'];

interface CheckResult {
  readonly part_path: string;
  readonly is_passed: number;
  readonly message: string;
}

/** Longest description of a problem that is kept. */
const maxProblemLength = 300;

/** Reads all bytes of a part and compares them with their checksums. Returns undefined if they match or the part is gone. */
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

const partsSql = `SELECT table, name AS part, toFloat64(bytes_on_disk) AS bytes FROM system.parts
  WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)} ORDER BY table, name`;

/** Checks all parts of some physical tables, one after the other. */
export const findDamagedParts = async (
  writer: ClickHouseWriter,
  tables: readonly string[],
): Promise<readonly FoundDamage[]> => {
  const damage: FoundDamage[] = [];
  const parts = await writer.rows<{ table: string; part: string; bytes: number }>(partsSql, { params: { tables } });
  for (const part of parts) {
    const found = await checkPart(writer, part);
    if (found) damage.push(found);
  }
  return damage;
};

/** Each part is checked again after this many days. */
const checkEveryDays = 7;

/** The background check reads at most this many bytes per second on average, so that it does not slow down reports. */
const bytesPerSecond = 8_000_000;

/** Pauses after a check, in ms: at least, and if there is nothing to check. */
const [shortestPauseMs, idlePauseMs] = [5_000, 300_000];

const sizeSql = `SELECT toFloat64(bytes_on_disk) AS bytes FROM system.parts
  WHERE active AND database = currentDatabase() AND table = {table:String} AND name = {part:String}`;

/** The result of a background check. */
export interface BackgroundCheck {
  /** The damaged part and its generation; undefined if no damage was found. */
  readonly damage?: (LeaseKey & { readonly found: FoundDamage }) | undefined;
  /** How long to wait before the next check, in ms. */
  readonly pauseMs: number;
}

/** Checks the listed part that was checked longest ago, unless all were checked in the last days. */
export const checkNextPart = async (postgres: Postgres, writer: ClickHouseWriter): Promise<BackgroundCheck> => {
  const next = await claimPartToCheck(postgres, checkEveryDays);
  if (!next) return { pauseMs: idlePauseMs };
  const { projection, generation, table, part } = next;
  const [size] = await writer.rows<{ bytes: number }>(sizeSql, { params: { table, part } });
  // The part was merged since the list was stored.
  if (!size) return { pauseMs: 0 };
  const found = await checkPart(writer, { table, part, bytes: size.bytes });
  return {
    damage: found && { projection, generation, found },
    pauseMs: Math.max(shortestPauseMs, (size.bytes / bytesPerSecond) * 1_000),
  };
};
