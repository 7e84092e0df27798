import { listPartitions } from '@popsvc/domain/partitioning';
import {
  createTable,
  generationTable,
  hasServerErrorType,
  isDataDamaged,
  type ClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import { highestPosition } from '@popsvc/platform/event-store';
import {
  deletePartList,
  type GenerationRecord,
  type Postgres,
  readGenerations,
  readPartitionCount,
  readPartList,
  recordDamage,
  recordHealing,
  type TableDamage,
} from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { progressOf, progressTable } from '../declarations/progress.table.ts';
import { verifiedRuns } from '../declarations/verified-runs.ts';
import { dropDamagedParts, findLosses, putOffDamagedRanges } from './damaged-ranges.ts';
import { dropOtherRelations, findChangedDefinitions } from './definitions.ts';
import { shortenHistory } from './report-history.ts';
import { countPartitions, type Generation, type ProjectionDeclaration } from './generations.ts';
import { compareWithList, type FoundDamage, physicalTables, readActiveParts, readStoredTables } from './table-parts.ts';

export interface DamageDependencies {
  readonly postgres: Postgres;
  readonly writer: ClickHouseWriter;
  readonly log: Log;
}

/** A partition without progress has the position 0. */
const readReached = async (
  writer: ClickHouseWriter,
  { projection, generation, partitions = 1 }: Generation,
): Promise<ReadonlyMap<number, bigint>> => {
  const rows = await writer.rows<{ partition: number; reached: string }>(
    `SELECT partition, toString(max(pos)) AS reached FROM ${progressTable(projection.name)}
     WHERE generation = {generation:UInt32} AND partitions = {partitions:UInt8} GROUP BY partition`,
    { params: { generation, partitions } },
  );
  const found = new Map(rows.map(({ partition, reached }) => [partition, BigInt(reached)]));
  return new Map(listPartitions(partitions).map(({ index }) => [index, found.get(index) ?? 0n]));
};

const isAnyBegun = (positions: ReadonlyMap<number, bigint>): boolean => [...positions.values()].some((at) => at > 0n);

/**
 * A position below that of the part list in PostgreSQL means that ClickHouse was restored from an older copy. Without any position,
 * ClickHouse lost its database or its progress.
 */
const findDamage = async (
  { postgres, writer, log }: DamageDependencies,
  which: Generation,
): Promise<readonly FoundDamage[]> => {
  const { projection, generation, incompleteTables = [] } = which;
  const key = { projection: projection.name, generation };
  const record = (await readGenerations(postgres)).find(
    (each) => each.projection === projection.name && each.generation === generation,
  );
  // Another version of the projection may have built the generation with other definitions.
  const isCurrent = record?.version === projection.version;
  const definitions = isCurrent ? await findChangedDefinitions(writer, projection.tables, generation) : [];
  // The list is read before the parts: each part in the list must then be active or merged.
  const list = await readPartList(postgres, key);
  const stored = await readStoredTables(writer, physicalTables(which));
  const reached = await readReached(writer, which);
  const isBehindList = [...list.positions].some(([partition, position]) => (reached.get(partition) ?? 0n) < position);
  const isOlderCopy = isBehindList && (isAnyBegun(reached) || record?.state === 'building');
  if (isOlderCopy) {
    await deletePartList(postgres, key);
    log.warn(key, 'ClickHouse is older than the list of its parts; the projection continues from the older position');
  }
  const parts = isOlderCopy ? [] : list.parts;
  const added = projection.tables
    .filter(({ name }) => incompleteTables.includes(name))
    .map((table) => generationTable(table, generation))
    .filter((table) => !parts.some((part) => part.table === table));
  // Before the first batch, a missing table is no damage: creating the schema creates it.
  const isBegun = isAnyBegun(reached) || (isAnyBegun(list.positions) && !isOlderCopy);
  const missing = isBegun ? stored.missing.filter((table) => !added.includes(table)) : [];
  return [...definitions, ...compareWithList({ parts }, { ...stored, missing })];
};

const now = () => new Date().toISOString();

/** A newer version may derive other rows and define other tables. */
const isNewer = ({ projection, version = projection.version }: Generation): boolean => version > projection.version;

const maxLogged = 20;

/** Returns false if only a replay helps. */
const healRanges = async (
  { postgres, writer, log }: DamageDependencies,
  which: Generation,
  { found, reached }: { readonly found: readonly FoundDamage[]; readonly reached: ReadonlyMap<number, bigint> },
): Promise<boolean> => {
  const { projection, generation, damage = [] } = which;
  const { name, derived } = projection;
  if (!derived || damage.length > 0 || isNewer(which)) return false;
  const table = generationTable(derived.table, generation);
  const key = { projection: name, generation };
  const isInDerived = found.every((each) => each.table === table);
  const lost = isInDerived ? findLosses(found, await readPartList(postgres, key)) : undefined;
  if (!lost) return false;
  try {
    await putOffDamagedRanges(writer, derived, generation, {
      ranges: lost,
      reached: highestPosition([...reached.values()]),
    });
  } catch (error) {
    // The facts are damaged too, so the rows cannot be derived again.
    if (isDataDamaged(error)) return false;
    throw error;
  }
  const healing = lost.map(({ isDroppable: _, ...each }) => ({ ...each, table: derived.table.name, found_at: now() }));
  if (!(await recordHealing(postgres, key, healing))) return false;
  log.error({ ...key, damage: healing.slice(0, maxLogged), found: healing.length }, 'lost rows are derived again');
  const parts = lost.map(({ part }) => part);
  await dropDamagedParts(writer, table, parts);
  return true;
};

/** `ranges`: the lost rows are derived again from facts. `replay`: only a replay helps. */
export type Remedy = 'none' | 'ranges' | 'replay';

interface NotedDamage {
  readonly remedy: Remedy;
  /** The damage that only a replay heals. */
  readonly damage: readonly TableDamage[];
}

export const noteDamage = async (
  dependencies: DamageDependencies,
  which: Generation,
  found: readonly FoundDamage[],
): Promise<NotedDamage> => {
  if (found.length === 0) return { remedy: 'none', damage: [] };
  const { postgres, writer, log } = dependencies;
  const { projection, generation } = which;
  await shortenHistory(writer, which);
  const history = projection.derived && generationTable(projection.derived.history, generation);
  const ofHistory = found.filter(({ table }) => table === history);
  if (ofHistory.length > 0) {
    // Current reports need no former rows, and nothing can restore them. A table that a newer version built keeps its definition and its
    // other rows.
    log.error(
      { table: history, damage: ofHistory.slice(0, maxLogged) },
      'former rows were lost; reports of earlier times begin now',
    );
    if (!isNewer(which)) await writer.run(`DROP TABLE IF EXISTS ${history!} SYNC`);
    await writer.run(createTable(projection.derived!.history, generation, writer));
    return noteDamage(
      dependencies,
      which,
      found.filter(({ table }) => table !== history),
    );
  }
  const reached = await readReached(writer, which);
  if (await healRanges(dependencies, which, { found, reached })) return { remedy: 'ranges', damage: [] };
  const nameOf = (physical: string) =>
    projection.tables.find((table) => generationTable(table, generation) === physical)?.name ?? physical;
  const damage = found.map(({ table, part, problem }) => ({ table: nameOf(table), part, problem, found_at: now() }));
  const key = { projection: projection.name, generation };
  const added = await recordDamage(postgres, key, damage, reached);
  if (added.length > 0)
    log.error({ ...key, damage: added.slice(0, maxLogged), found: added.length }, 'damaged tables found');
  return { remedy: 'replay', damage };
};

const findUnfinished = (
  { healing = [], generation }: Generation,
  found: readonly FoundDamage[],
): readonly FoundDamage[] =>
  healing
    .map((lost) => ({ ...lost, table: generationTable({ name: lost.table }, generation), isDroppable: true }))
    .filter(({ table, part }) => !found.some((each) => each.table === table && each.part === part));

const findActive = async (
  writer: ClickHouseWriter,
  which: Generation,
  found: readonly FoundDamage[],
): Promise<readonly FoundDamage[]> => {
  const active = await readActiveParts(writer, which);
  return found.filter(({ table, part }) => active.some((each) => each.table === table && each.part === part));
};

/**
 * Also repeats unfinished healing: after a start of ClickHouse all of it, because ClickHouse may have lost rows that were derived again.
 * Otherwise that of parts that are still active, because a process was killed before it dropped them.
 */
export const noteLostParts = async (dependencies: DamageDependencies, which: Generation): Promise<NotedDamage> => {
  const { writer } = dependencies;
  const found = await findDamage(dependencies, which);
  const unfinished = findUnfinished(which, found);
  const isSameRun = unfinished.length > 0 && (await isRunVerified(writer));
  const repeated = isSameRun ? await findActive(writer, which, unfinished) : unfinished;
  return noteDamage(dependencies, which, [...found, ...repeated]);
};

/** Returns the damage that only a replay heals. */
export const verifyGeneration = async (
  dependencies: DamageDependencies,
  which: Generation,
): Promise<readonly TableDamage[]> => (await noteLostParts(dependencies, which)).damage;

export const damagedTables = (damage: readonly TableDamage[]): readonly string[] => [
  ...new Set(damage.map(({ table }) => table)),
];

interface CheckpointRow {
  readonly generation: number;
  readonly partitions: number;
  readonly partition: number;
  readonly state: GenerationRecord['state'];
  readonly pos: string;
  readonly synced_pos: string;
  readonly as_of_ms: string;
  readonly epoch: string;
  readonly written_at_ms: string;
}

const checkpointsSql = `
  SELECT c.generation, c.partition, g.state, c.position::text AS pos,
    c.parts_position::text AS synced_pos, c.epoch::text AS epoch,
    (extract(epoch FROM c.saved_at) * 1000)::bigint::text AS written_at_ms,
    coalesce((extract(epoch FROM s.as_of) * 1000)::bigint, 0)::text AS as_of_ms
  FROM checkpoints c JOIN generations g USING (projection, generation)
    LEFT JOIN projection_status s USING (projection, generation, partition)
  WHERE projection = $1 AND c.position > 0`;

const readCheckpoints = async (
  postgres: Postgres,
  projection: ProjectionDeclaration,
): Promise<readonly CheckpointRow[]> => {
  const partitions = countPartitions(projection, await readPartitionCount(postgres));
  const { rows } = await postgres.query<Omit<CheckpointRow, 'partitions'>>(checkpointsSql, [projection.name]);
  return rows.map((row) => ({ ...row, partitions }));
};

/** Checkpoints can replace lost progress, because a checkpoint is saved only after its rows are written. */
const addProgress = async (
  writer: ClickHouseWriter,
  { name }: ProjectionDeclaration,
  rows: readonly CheckpointRow[],
): Promise<void> => {
  for (const row of rows)
    await writer.run(
      `INSERT INTO ${progressTable(name)} (generation, partitions, partition, pos, as_of, changed_pos, synced_pos, epoch, written_at)
       SELECT {generation:UInt32}, {partitions:UInt8}, {partition:UInt8}, {pos:UInt64},
         fromUnixTimestamp64Milli({as_of_ms:Int64}, 'UTC'), {pos:UInt64}, {synced_pos:UInt64}, {epoch:UInt64}, fromUnixTimestamp64Milli({written_at_ms:Int64}, 'UTC')`,
      { params: { ...row } },
    );
};

export const restoreProgress = async (
  { postgres, writer, log }: DamageDependencies,
  projection: ProjectionDeclaration,
  problem: string,
): Promise<void> => {
  const checkpoints = await readCheckpoints(postgres, projection);
  const table = progressTable(projection.name);
  await dropOtherRelations(writer, 'table', [table]);
  await writer.run(`DROP TABLE IF EXISTS ${table} SYNC`);
  await writer.run(createTable(progressOf(projection.name), 1, writer));
  // Only the progress was lost. If PostgreSQL has no list of parts, all rows up to the checkpoint count as synced.
  const synced = checkpoints.map((row) => (row.synced_pos === '0' ? { ...row, synced_pos: row.pos } : row));
  await addProgress(writer, projection, synced);
  log.error(
    { problem, projection: projection.name, checkpoints: checkpoints.length },
    'damaged progress table restored from the checkpoints',
  );
};

/** Without progress, lost tables could count as new instead of damaged. */
const restoreLostProgress = async (
  { postgres, writer, log }: DamageDependencies,
  projection: ProjectionDeclaration,
): Promise<void> => {
  const known = await writer.rows<Pick<CheckpointRow, 'generation'>>(
    `SELECT DISTINCT generation FROM ${progressTable(projection.name)}`,
  );
  const lost = (await readCheckpoints(postgres, projection)).filter(
    ({ generation, state }) => state === 'live' && !known.some((each) => each.generation === generation),
  );
  if (lost.length === 0) return;
  await addProgress(writer, projection, lost);
  const generations = [...new Set(lost.map(({ generation }) => `${projection.name} ${generation}`))];
  // Operators may delete the folder of ClickHouse to make space, so lost progress alone is no error.
  log.warn({ generations }, 'lost progress restored from the checkpoints');
};

export const verifyProgress = async (
  dependencies: DamageDependencies,
  projections: readonly ProjectionDeclaration[],
): Promise<void> => {
  const { writer } = dependencies;
  const tables = projections.map(({ name }) => progressOf(name));
  const definitions = await findChangedDefinitions(writer, tables, 1);
  const stored = await readStoredTables(
    writer,
    projections.map(({ name }) => progressTable(name)),
  );
  const damage = compareWithList({ parts: [] }, stored);
  for (const projection of projections) {
    const isOwn = ({ table }: FoundDamage) => table === progressTable(projection.name);
    const definition = definitions.find(isOwn);
    const lost = damage.find((each) => isOwn(each) && each.part !== null);
    if (definition) await restoreProgress(dependencies, projection, definition.problem);
    else if (lost) await restoreProgress(dependencies, projection, `${lost.part}: ${lost.problem}`);
    else await restoreLostProgress(dependencies, projection);
  }
};

/** Inserts only into an empty table, because projections may take a second row for a restart. */
export const markRunVerified = (writer: ClickHouseWriter): Promise<void> =>
  writer.run(`INSERT INTO ${verifiedRuns} SELECT now64(3, 'UTC') WHERE (SELECT count() FROM ${verifiedRuns}) = 0`);

/**
 * In ms since 1970; another run of ClickHouse has another time. Undefined if the tables are not verified, or if ClickHouse lost its
 * database.
 */
export const findVerifiedRun = async (writer: Pick<ClickHouseWriter, 'rows'>): Promise<number | undefined> => {
  const query = `SELECT toFloat64(toUnixTimestamp64Milli(min(verified_at))) AS run FROM ${verifiedRuns} HAVING count() > 0`;
  try {
    return (await writer.rows<{ run: number }>(query, { timeoutMs: 5_000 }))[0]?.run;
  } catch (error) {
    if (hasServerErrorType(error, ['UNKNOWN_TABLE', 'UNKNOWN_DATABASE'])) return undefined;
    throw error;
  }
};

export const isRunVerified = async (writer: Pick<ClickHouseWriter, 'rows'>): Promise<boolean> =>
  (await findVerifiedRun(writer)) !== undefined;
