import { isResourceLimitExceeded } from '@popsvc/platform/clickhouse';
import type { BatchSession, PlanStatement, RecomputePlan, RecomputeReason, TemporaryTable } from './projection.ts';

/** By query text, which alone determines the columns. */
const columnsOfQuery = new Map<string, string>();

const readIsEmpty = async (session: BatchSession, table: string): Promise<boolean> =>
  (await session.rows(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0;

const readColumns = async (session: BatchSession, table: string): Promise<string> =>
  (await session.rows<{ name: string; type: string }>(`DESCRIBE TABLE ${table}`))
    .map(({ name, type }) => `${name} ${type}`)
    .join(', ');

type Parameters = Readonly<Record<string, unknown>>;

type KnownEmpty = Map<string, boolean>;

const isEmpty = async (session: BatchSession, table: string, knownEmpty: KnownEmpty): Promise<boolean> => {
  const known = knownEmpty.get(table) ?? (await readIsEmpty(session, table));
  knownEmpty.set(table, known);
  return known;
};

/**
 * Planning queries is most of the cost of a small batch. `CREATE … AS SELECT` plans its query twice, so it is used only while the columns
 * of the query are unknown.
 */
export const createTemporaryTable = async (
  session: BatchSession,
  { name, emptyIfEmpty, sql, columns = columnsOfQuery.get(sql) }: TemporaryTable,
  params: Parameters,
  knownEmpty: KnownEmpty = new Map(),
): Promise<void> => {
  if (columns === undefined) {
    await session.run(`CREATE TEMPORARY TABLE ${name} AS ${sql}`, params);
    columnsOfQuery.set(sql, await readColumns(session, name));
    return;
  }
  await session.run(`CREATE TEMPORARY TABLE ${name} (${columns})`);
  if (emptyIfEmpty !== undefined && (await isEmpty(session, emptyIfEmpty, knownEmpty))) knownEmpty.set(name, true);
  else await session.run(`INSERT INTO ${name} ${sql}`, params);
};

const toPlanStatement = (statement: string | TemporaryTable | PlanStatement): PlanStatement =>
  typeof statement === 'string' || 'sql' in statement ? { run: statement } : statement;

export const dropTemporaryTables = async (
  session: BatchSession,
  statements: ReturnType<RecomputePlan['statements']>,
): Promise<void> => {
  const names = statements.map(toPlanStatement).flatMap(({ run }) => (typeof run === 'string' ? [] : [run.name]));
  if (names.length > 0) await session.run(`DROP TEMPORARY TABLE IF EXISTS ${names.join(', ')}`);
};

export type PairsByNetwork = ReadonlyMap<number, number>;

export const sumPairs = (pairs: PairsByNetwork): number => [...pairs.values()].reduce((sum, each) => sum + each, 0);

const readPairs = async (session: BatchSession, table: string): Promise<PairsByNetwork> => {
  const rows = await session.rows<{ network: number; pairs: number }>(
    `SELECT toFloat64(network_id) AS network, toFloat64(sum(pairs)) AS pairs FROM ${table} GROUP BY network_id`,
  );
  return new Map(rows.map(({ network, pairs }) => [network, pairs]));
};

const countDerivedRows = async (session: BatchSession, { pairs }: RecomputePlan): Promise<void> => {
  const { onDerived } = session.shares;
  if (!pairs || !onDerived) return;
  const derived = await session.rows<{ network: number; rows: number }>(pairs.derivedRowsSql);
  onDerived(new Map(derived.map(({ network, rows: count }) => [network, count])));
};

export interface Computation {
  readonly reason: RecomputeReason;
  readonly params: Parameters;
}

interface Slice {
  readonly slices: number;
  readonly slice: number;
}

/** If the slice has more than `maxPairs` pairs, computes nothing and returns the pairs by network. */
export const computeSlice = async (
  session: BatchSession,
  plan: RecomputePlan,
  { reason, params }: Computation,
  { slices, slice }: Slice,
  maxPairs: number,
): Promise<PairsByNetwork | undefined> => {
  const statements = plan.statements(session.generation, reason);
  const all = { ...params, slices, slice };
  const knownEmpty: KnownEmpty = new Map();
  const isSkipped = async ({ ifEmpty, unlessEmpty }: PlanStatement) =>
    (ifEmpty !== undefined && !(await isEmpty(session, ifEmpty, knownEmpty))) ||
    (unlessEmpty !== undefined && (await isEmpty(session, unlessEmpty, knownEmpty)));
  for (const statement of statements.map(toPlanStatement)) {
    const { run } = statement;
    const skipped = await isSkipped(statement);
    if (typeof run === 'string') {
      if (!skipped) await session.run(run, all);
      continue;
    }
    if (skipped) {
      knownEmpty.set(run.name, true);
      continue;
    }
    await createTemporaryTable(session, run, all, knownEmpty);
    if (run.name !== plan.pairs?.table) continue;
    const pairs = await readPairs(session, run.name);
    knownEmpty.set(run.name, pairs.size === 0);
    if (sumPairs(pairs) <= maxPairs) continue;
    await dropTemporaryTables(session, statements);
    return pairs;
  }
  await countDerivedRows(session, plan);
  await dropTemporaryTables(session, statements);
  return undefined;
};

const sliceFactors = [1, 16, 256];

/** A computation in several slices ignores `maxPairs`. Above `maxPairs`, computes nothing and returns the pairs by network. */
export const computeRows = async (
  session: BatchSession,
  plan: RecomputePlan,
  computation: Computation,
  slices: number,
  maxPairs = Infinity,
): Promise<PairsByNetwork | undefined> => {
  for (const factor of sliceFactors)
    try {
      const count = slices * factor;
      for (let slice = 0; slice < count; slice += 1) {
        const tooMany = await computeSlice(
          session,
          plan,
          computation,
          { slices: count, slice },
          count === 1 ? maxPairs : Infinity,
        );
        if (tooMany) return tooMany;
      }
      return undefined;
    } catch (error) {
      if (!isResourceLimitExceeded(error) || factor === sliceFactors.at(-1)) throw error;
      await dropTemporaryTables(session, plan.statements(session.generation, computation.reason));
    }
  return undefined;
};
