import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { lowestPosition } from '@popsvc/platform/event-store';
import {
  type ReplayCoordination,
  type GenerationRecord,
  readGenerations,
  type ReplayRecord,
} from '@popsvc/platform/postgres';
import type { Projection } from '../projection.ts';
import pLimit from 'p-limit';
import { createGenerationTables, damagedTables, dropGenerationTables } from '@popsvc/read-models/generations';
import { copyFacts, countDerivedDays, readFactDays, requireFacts } from './copy-facts.ts';
import { startShadowBuild } from './shadow-build.ts';
import { advanceGeneration, catchUpWithLive, readValidPosition, settled, waitUntilSettled } from './catch-up.ts';
import { buildThreads } from './build-generation.ts';
import { type ProjectionGeneration, type GenerationPartition, partitionKeyOf } from '../generation-partitions.ts';
import { PermanentReplayError } from './errors.ts';
import type { ReplayDependencies } from './dependencies.ts';
import {
  joinPartitionProgress,
  type OnPartitionProgress,
  runTogether,
  partitionsOf,
  withoutTotal,
} from './replay-partitions.ts';
import type { ReplayReport } from './report.ts';
import { dropSnapshotsOfReplay } from './snapshots.ts';
import { withPausedGeneration } from './pause.ts';
import { switchReaders } from './switch-readers.ts';
import { requireDerivedAsFar, verifyReplay, waitUntilDerived } from './verify.ts';

export interface ReplayRun {
  readonly coordination: ReplayCoordination;
  readonly replay: ReplayRecord;
  readonly projection: Projection;
}

const requireGeneration = (
  known: readonly GenerationRecord[],
  { projection, kind, to }: ReplayRecord,
): GenerationRecord => {
  const expected = kind === 'replay' ? 'building' : 'kept';
  const found = known.find((record) => record.projection === projection && record.generation === to);
  if (found?.state !== expected)
    throw new PermanentReplayError(`Generation ${to} is ${found ? found.state : 'gone'}, not ${expected}.`);
  if (found.damage.length > 0)
    throw new PermanentReplayError(
      `Tables of generation ${to} are damaged: ${damagedTables(found.damage).join(', ')}. Request the replay again.`,
    );
  return found;
};

/** Throws `PermanentReplayError` if the replay must not use the facts of the live generation. */
const findLive = (
  known: readonly GenerationRecord[],
  { replay: { from, source }, projection }: Pick<ReplayRun, 'replay' | 'projection'>,
): GenerationRecord | undefined => {
  const live = known.find(({ projection: name, generation }) => name === projection.name && generation === from);
  if (source === 'facts') requireFacts(projection, live);
  return live;
};

const daysPollMs = 1_000;

/** A failure ends only the reports: the build continues, and fails itself if a database is unavailable. */
const reportDays = async (
  dependencies: ReplayDependencies,
  { projection, generation }: ProjectionGeneration,
  report: ReplayReport,
  signal: AbortSignal,
): Promise<void> => {
  const which = { projection, generation };
  try {
    const { facts, days } = await readFactDays(dependencies, which);
    await report.write({ total: facts });
    while (!signal.aborted) {
      report.onStep({ name: 'days', done: await countDerivedDays(dependencies, which, days), of: days.length });
      await sleep(daysPollMs, undefined, { signal });
    }
  } catch (err) {
    if (!signal.aborted)
      dependencies.log.warn(
        { err, projection: projection.name, generation },
        'progress of a replay is no longer reported',
      );
  }
};

const build = async (
  dependencies: ReplayDependencies,
  { replay: { from, to, kind, source }, projection }: ReplayRun,
  report: ReplayReport,
  onProgress: OnPartitionProgress,
  signal: AbortSignal,
): Promise<void> => {
  const partitions = partitionsOf(dependencies, { projection, generation: to });
  const targets = await Promise.all(
    partitions.map((target) => readValidPosition(dependencies, partitionKeyOf({ ...target, generation: from }))),
  );
  report.onTarget(lowestPosition(targets));
  // In a rollback, the generation already has a writer, and `advanceGeneration` waits for it.
  const isNew = kind === 'replay';
  const end = new AbortController();
  const reporting =
    source === 'facts'
      ? reportDays(dependencies, { projection, generation: to }, report, AbortSignal.any([signal, end.signal]))
      : Promise.resolve();
  const limit = pLimit(availableParallelism());
  const buildPartition = (target: GenerationPartition, index: number, stop: AbortSignal) =>
    limit(() =>
      advanceGeneration(
        dependencies,
        {
          ...target,
          upTo: targets[index]!,
          build: isNew ? dependencies.buildInBackground : undefined,
          untilDerived: isNew,
          threads: buildThreads[source],
        },
        (progress) => onProgress(target, source === 'facts' ? withoutTotal(progress) : progress),
        stop,
      ),
    );
  try {
    await Promise.all([runTogether(partitions, buildPartition, signal).finally(() => end.abort()), reporting]);
  } finally {
    end.abort();
  }
};

/** A repeated call keeps what is already built and repeats the other steps. */
export const runReplaySteps = async (
  dependencies: ReplayDependencies,
  { coordination, replay, projection }: ReplayRun,
  report: ReplayReport,
  signal: AbortSignal,
): Promise<void> => {
  const { from, to, kind } = replay;
  const known = await readGenerations(dependencies.postgres);
  const { version } = requireGeneration(known, replay);
  if (kind === 'replay' && version !== projection.version)
    throw new PermanentReplayError(
      `Version ${version} of the projection began the replay, but this release has version ${projection.version}; request the replay again.`,
    );
  const before = findLive(known, { replay, projection });
  // Tables of this generation may exist if PostgreSQL was restored from a backup that is older than they are.
  if (kind === 'replay' && !replay.startedAt)
    await dropGenerationTables(dependencies.writer, { projection, generation: to });
  await report.write({
    state: kind === 'replay' ? 'building' : 'catching_up',
    startedAt: replay.startedAt ?? new Date(),
  });
  await createGenerationTables(dependencies.writer, { projection, generation: to });
  // A process that was killed while it compared generations may have left its snapshots.
  if (replay.startedAt && replay.verify)
    await dropSnapshotsOfReplay(dependencies.writer, { replay: replay.id, epoch: coordination.epoch });

  const run = { coordination, replay, projection };
  if (replay.source === 'facts')
    await copyFacts(dependencies, { projection, from, to, epoch: coordination.epoch }, signal);
  const onProgress = joinPartitionProgress(
    partitionsOf(dependencies, { projection, generation: to }),
    report.onProgress,
  );
  await build(dependencies, run, report, onProgress, signal);
  const { onTarget } = report;
  const live = { projection, generation: from };
  await report.write({ state: 'catching_up', step: null });
  // A damaged generation is not written to, so it cannot settle. It is not compared, because its rows may be wrong.
  const isDamaged = before !== undefined && before.damage.length > 0;
  const written = isDamaged ? settled : await waitUntilSettled(dependencies, partitionsOf(dependencies, live), signal);
  await catchUpWithLive(dependencies, { projection, generation: to, live: from, onTarget, onProgress }, signal);

  let { pausedMs } = replay;
  const built = await startShadowBuild(dependencies, { replay, projection }, onProgress, signal);
  try {
    await built.closeUp();
    if (replay.verify && !replay.verified && !isDamaged) {
      await report.write({ state: 'verifying' });
      const mayDiffer = before?.version !== version;
      pausedMs += await verifyReplay(
        dependencies,
        { coordination, replay, projection, mayDiffer, built, written },
        report,
        signal,
      );
      await report.write({ state: 'catching_up', pausedMs });
      await built.closeUp();
    }
    await report.write({ state: 'switching' });
    await waitUntilDerived(dependencies, { replay, projection }, signal);
    await withPausedGeneration(
      dependencies,
      { ...live, epoch: coordination.epoch },
      async (paused) => {
        onTarget(lowestPosition(paused.at));
        await written.confirm();
        await built.bringTo(paused);
        await requireDerivedAsFar(dependencies, { replay, projection });
        findLive(await readGenerations(dependencies.postgres), { replay, projection });
        await report.write({});
        await switchReaders(dependencies, { coordination, replay: { ...replay, pausedMs }, projection }, paused);
      },
      signal,
    );
  } finally {
    await built.end();
  }
  dependencies.onSwitched?.();
};
