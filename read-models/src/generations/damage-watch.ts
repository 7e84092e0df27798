import { setTimeout as sleep } from 'node:timers/promises';
import { generationTable, tablesReadBy } from '@popsvc/platform/clickhouse';
import { clearSuspectedTables, readSuspectedTables } from '@popsvc/platform/postgres';
import { progress } from '../declarations/progress.table.ts';
import {
  type DamageDependencies,
  isRunVerified,
  noteDamage,
  noteLostParts,
  type Remedy,
  restoreProgress,
} from './damage.ts';
import { findGenerations, type Generation, type ProjectionDeclaration, withReaderLock } from './generations.ts';
import { checkNextPart, findDamagedParts } from './part-checks.ts';
import { pointIncompleteView } from './progress.ts';

export interface DamageWatchDependencies extends DamageDependencies {
  readonly projections: readonly ProjectionDeclaration[];
  /** Verifies the tables after a start of ClickHouse. */
  readonly verifyRun: () => Promise<void>;
  /** Called after damage was recorded, to plan the replays. */
  readonly onDamage: () => Promise<void>;
}

/** Makes readers refuse the tables that are recorded as damaged. */
const refuseDamagedTables = ({ postgres, writer, projections }: DamageWatchDependencies): Promise<void> =>
  withReaderLock(postgres, async () =>
    pointIncompleteView(writer, await findGenerations(postgres, projections, 'live')),
  );

/** Returns the names of the tables behind a name in a query: the table itself, or the tables that a view reads. */
const tablesBehind = ({ tables, views = [] }: ProjectionDeclaration, relation: string): readonly string[] => [
  ...tables.filter(({ name }) => name === relation).map(({ name }) => name),
  ...views.filter(({ name }) => name === relation).flatMap((view) => tablesReadBy(view).map(({ name }) => name)),
];

/** Looks for lost tables and parts of a live generation, checks `names` byte by byte, and records what was found. */
const checkGeneration = async (
  dependencies: DamageWatchDependencies,
  which: Generation,
  names: readonly string[],
): Promise<readonly Remedy[]> => {
  const lost = await noteLostParts(dependencies, which);
  const physical = names.map((name) => generationTable({ name }, which.generation));
  const found = await findDamagedParts(dependencies.writer, physical);
  return [lost.remedy, (await noteDamage(dependencies, which, found)).remedy];
};

/**
 * Checks the tables that failed queries read. The tables of the registry are checked with them, because queries read them through
 * dictionaries, which a query does not name.
 */
const checkSuspectedTables = async (dependencies: DamageWatchDependencies): Promise<void> => {
  const { postgres, writer, projections, log } = dependencies;
  const suspected = (await readSuspectedTables(postgres)).map(({ relation }) => relation);
  if (suspected.length === 0) return;
  log.warn({ relations: suspected }, 'checking tables that a failed query read');
  const [brokenProgress] = await findDamagedParts(writer, [generationTable(progress, 1)]);
  if (brokenProgress) await restoreProgress(dependencies, `${brokenProgress.part}: ${brokenProgress.problem}`);
  const remedies = new Set<Remedy>();
  for (const which of await findGenerations(postgres, projections, 'live')) {
    const { name, tables } = which.projection;
    const relations = name === 'registry' ? tables.map((table) => table.name) : suspected;
    const names = [...new Set(relations.flatMap((relation) => tablesBehind(which.projection, relation)))];
    for (const remedy of await checkGeneration(dependencies, which, names)) remedies.add(remedy);
  }
  if (remedies.has('replay')) {
    await refuseDamagedTables(dependencies);
    await dependencies.onDamage();
  } else if (!remedies.has('ranges') && !brokenProgress)
    log.warn({ relations: suspected }, 'no damage found in the tables of a failed query');
  await clearSuspectedTables(postgres, suspected);
};

/** Runs one step of the background check of all parts. Returns the pause before the next step, in ms. */
const checkInBackground = async (dependencies: DamageWatchDependencies): Promise<number> => {
  const { postgres, writer, projections } = dependencies;
  const { damage, pauseMs } = await checkNextPart(postgres, writer);
  const which = (await findGenerations(postgres, damage ? projections : [], 'live')).find(
    ({ projection, generation }) => projection.name === damage?.projection && generation === damage.generation,
  );
  if (damage && which) {
    const { remedy } = await noteDamage(dependencies, which, [damage.found]);
    if (remedy === 'replay') {
      await refuseDamagedTables(dependencies);
      await dependencies.onDamage();
    }
  }
  return pauseMs;
};

const intervalMs = 1_000;
/** The background check begins this many ms after the start of the process. */
const backgroundDelayMs = 60_000;

/**
 * Watches ClickHouse until the signal aborts. Verifies the tables each time ClickHouse has started, checks the tables that a
 * failed query read, and slowly checks all parts. If ClickHouse or PostgreSQL is unavailable, logs only the first failure and
 * tries again.
 */
export const watchForDamage = async (dependencies: DamageWatchDependencies, signal: AbortSignal): Promise<void> => {
  const { writer, log } = dependencies;
  let failing = false;
  let nextCheckAt = performance.now() + backgroundDelayMs;
  const isOver = () => sleep(intervalMs, false, { signal }).catch(() => true);
  while (!(await isOver())) {
    try {
      if (!(await isRunVerified(writer))) {
        log.info('ClickHouse started; verifying its tables');
        await dependencies.verifyRun();
      }
      await checkSuspectedTables(dependencies);
      if (performance.now() >= nextCheckAt) nextCheckAt = performance.now() + (await checkInBackground(dependencies));
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, 'failed to verify the tables in ClickHouse; retrying');
      failing = true;
    }
  }
};
