import { setTimeout as sleep } from 'node:timers/promises';
import { nameInShard, nameWithoutShard } from '@popsvc/domain/partitioning';
import {
  type ClickHouseWriter,
  describeShard,
  generationTable,
  tablesReadBy,
  WrongShardError,
} from '@popsvc/platform/clickhouse';
import { clearSuspectedTables, readSuspectedTables } from '@popsvc/platform/postgres';
import { progressTable } from '../declarations/progress.table.ts';
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
import { onEachServer, pinToReplica } from './replicas.ts';

export interface DamageWatchDependencies extends DamageDependencies {
  readonly projections: readonly ProjectionDeclaration[];
  readonly verifyRun: (server: ClickHouseWriter) => Promise<void>;
  /** Called after damage was recorded that only a replay repairs. */
  readonly onDamage: () => Promise<void>;
}

const refuseDamagedTables = ({ postgres, writer, projections }: DamageWatchDependencies): Promise<void> =>
  withReaderLock(postgres, writer.shard, async () => {
    const live = await findGenerations(postgres, projections, 'live');
    await pointIncompleteView(writer, live, await findGenerations(postgres, projections, 'kept'));
  });

const tablesBehind = ({ tables, views = [] }: ProjectionDeclaration, relation: string): readonly string[] => [
  ...tables.filter(({ name }) => name === relation).map(({ name }) => name),
  ...views.filter(({ name }) => name === relation).flatMap((view) => tablesReadBy(view).map(({ name }) => name)),
];

/** Compares the generation with the list of its parts, and checks each byte of the tables `names`. */
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

/** Also checks all tables of the registry and of progress: a failed query does not name tables that it read through dictionaries. */
const checkSuspectedTables = async (given: DamageWatchDependencies): Promise<void> => {
  const { postgres, projections, log } = given;
  const shard = projections[0]?.shard;
  const stored = (await readSuspectedTables(postgres)).map(({ relation }) => relation);
  const suspected = stored.filter((name) => name === nameInShard(nameWithoutShard(name), shard)).map(nameWithoutShard);
  if (suspected.length === 0) return;
  const writer = await pinToReplica(given.writer, 'damage');
  const dependencies = { ...given, writer };
  log.warn({ relations: suspected }, 'checking tables that a failed query read');
  const brokenProgress = await findDamagedParts(
    writer,
    projections.map(({ name }) => progressTable(name)),
  );
  for (const projection of projections) {
    const broken = brokenProgress.find(({ table }) => table === progressTable(projection.name));
    if (broken) await restoreProgress(dependencies, projection, `${broken.part}: ${broken.problem}`);
  }
  const remedies = new Set<Remedy>();
  for (const which of await findGenerations(postgres, projections, 'live')) {
    const { name, tables } = which.projection;
    const relations = nameWithoutShard(name) === 'registry' ? tables.map((table) => table.name) : suspected;
    const names = [...new Set(relations.flatMap((relation) => tablesBehind(which.projection, relation)))];
    for (const remedy of await checkGeneration(dependencies, which, names)) remedies.add(remedy);
  }
  if (remedies.has('replay')) {
    await refuseDamagedTables(dependencies);
    await dependencies.onDamage();
  } else if (!remedies.has('ranges') && brokenProgress.length === 0)
    log.warn({ relations: suspected }, 'no damage found in the tables of a failed query');
  await clearSuspectedTables(
    postgres,
    suspected.map((relation) => nameInShard(relation, shard)),
  );
};

/** Returns the pause before the next step in ms. */
const checkInBackground = async (dependencies: DamageWatchDependencies): Promise<number> => {
  const { postgres, writer, projections } = dependencies;
  const { damage, pauseMs } = await checkNextPart(postgres, writer, projections);
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
const backgroundDelayMs = 60_000;

/** Logs a repeated failure only when its cause changes: a server may be down before it turns out to belong to another shard. */
const createFailureLog = ({ log, writer }: DamageWatchDependencies) => {
  const failing = new Map<string, boolean>();
  return {
    reset: (subject: string) => failing.delete(subject),
    logFailure(subject: string, err: unknown, message: string) {
      const isWrongShard = err instanceof WrongShardError;
      if (failing.get(subject) === isWrongShard) return;
      failing.set(subject, isWrongShard);
      if (isWrongShard) log.error({ err }, 'a server of ClickHouse belongs to another shard and is not used');
      else log.warn({ err, subject, shard: describeShard(writer.shard) }, message);
    },
  };
};

/**
 * Verifies the tables after each start of ClickHouse, checks tables that a failed query read, and slowly checks all parts. Logs failures
 * and continues.
 */
export const watchForDamage = async (dependencies: DamageWatchDependencies, signal: AbortSignal): Promise<void> => {
  const { writer, log } = dependencies;
  const failures = createFailureLog(dependencies);
  let nextCheckAt = performance.now() + backgroundDelayMs;
  const isOver = () => sleep(intervalMs, false, { signal }).catch(() => true);
  while (!(await isOver())) {
    try {
      await onEachServer(
        writer,
        async (server) => {
          if (!(await isRunVerified(server))) {
            log.info({ server: server.server }, 'ClickHouse started; verifying its tables');
            await dependencies.verifyRun(server);
          }
          failures.reset(server.server);
        },
        ({ server }, err) => failures.logFailure(server, err, 'failed to verify a replica of ClickHouse; retrying'),
      );
      await checkSuspectedTables(dependencies);
      if (performance.now() >= nextCheckAt) nextCheckAt = performance.now() + (await checkInBackground(dependencies));
      failures.reset('tables');
    } catch (err) {
      failures.logFailure('tables', err, 'failed to verify the tables in ClickHouse; retrying');
    }
  }
};
