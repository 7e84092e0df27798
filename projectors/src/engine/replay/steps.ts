import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ReplayCoordination,
  type GenerationRecord,
  readGenerations,
  type ReplayRecord,
} from '@popsvc/platform/postgres';
import type { Projection } from '../projection.ts';
import { createGenerationTables, damagedTables, dropGenerationTables } from '@popsvc/read-models/generations';
import { copyFacts, countDerivedDays, readFactDays } from './copy-facts.ts';
import { startShadowBuild } from './shadow-build.ts';
import { advanceGeneration, catchUpWithLive, readValidPosition, settled, waitUntilSettled } from './catch-up.ts';
import { buildGeneration, buildThreads } from './build-generation.ts';
import type { ProjectionGeneration } from '../dependencies.ts';
import { PermanentReplayError } from './errors.ts';
import type { ReplayDependencies } from './dependencies.ts';
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

const daysPollMs = 1_000;

/** Reports how many facts and days there are, and each second how many days are derived, until the signal aborts. */
const reportDays = async (
  dependencies: ReplayDependencies,
  which: ProjectionGeneration,
  report: ReplayReport,
  signal: AbortSignal,
): Promise<void> => {
  const { facts, days } = await readFactDays(dependencies, which);
  await report.write({ total: facts });
  while (!signal.aborted) {
    // ClickHouse may be unavailable. The build itself reports that.
    const done = await countDerivedDays(dependencies, which, days).catch(() => undefined);
    if (done !== undefined) report.onStep({ name: 'days', done, of: days.length });
    await sleep(daysPollMs, undefined, { signal }).catch(() => undefined);
  }
};

/** Builds the new generation: from the log up to the position of the live one, or from its facts up to the copied position. */
const build = async (
  dependencies: ReplayDependencies,
  { replay: { from, to, kind, source }, projection }: ReplayRun,
  report: ReplayReport,
  signal: AbortSignal,
): Promise<void> => {
  const { onProgress, onTarget } = report;
  const copied =
    source === 'facts'
      ? (await dependencies.checkpoints.read({ projection: projection.name, generation: to })).position
      : 0n;
  const upTo =
    copied > 0n ? copied : await readValidPosition(dependencies, { projection: projection.name, generation: from });
  onTarget(upTo);
  // For a rollback the generation already has a writer, and `advanceGeneration` waits for it.
  const buildInBackground = kind === 'replay' ? (dependencies.buildInBackground ?? buildGeneration) : undefined;
  const end = new AbortController();
  const reporting =
    copied > 0n
      ? reportDays(dependencies, { projection, generation: to }, report, AbortSignal.any([signal, end.signal]))
      : Promise.resolve();
  try {
    await Promise.all([
      advanceGeneration(
        dependencies,
        { projection, generation: to, upTo, buildInBackground, threads: buildThreads[copied > 0n ? 'facts' : 'log'] },
        onProgress,
        signal,
      ).finally(() => end.abort()),
      reporting,
    ]);
  } finally {
    end.abort();
  }
};

/**
 * Runs a replay to completion: builds the generation, catches up with the live one, compares the two, and switches readers while
 * both are at the same log position. A repeated call resumes the replay. It keeps the part of the generation that is already
 * built and repeats the other steps, which are short.
 */
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
  const before = known.find(({ projection: name, generation }) => name === projection.name && generation === from);
  // Tables of a generation with this number may already exist: PostgreSQL may have been restored from a backup that is older
  // than those tables.
  if (kind === 'replay' && !replay.startedAt)
    await dropGenerationTables(dependencies.writer, { projection, generation: to });
  await report.write({
    state: kind === 'replay' ? 'building' : 'catching_up',
    startedAt: replay.startedAt ?? new Date(),
  });
  await createGenerationTables(dependencies.writer, { projection, generation: to });
  // If a process was killed while it compared generations, it left its snapshots behind.
  if (replay.startedAt && replay.verify)
    await dropSnapshotsOfReplay(dependencies.writer, { replay: replay.id, epoch: coordination.epoch });

  const run = { coordination, replay, projection };
  if (replay.source === 'facts')
    await copyFacts(dependencies, { projection, from, to, epoch: coordination.epoch }, signal);
  await build(dependencies, run, report, signal);
  const { onProgress, onTarget } = report;
  const live = { projection: projection.name, generation: from };
  await report.write({ state: 'catching_up', step: null });
  // A damaged generation is not written to, so it cannot settle, and its rows differ from those of the new generation.
  const isDamaged = before !== undefined && before.damage.length > 0;
  const written = isDamaged ? settled : await waitUntilSettled(dependencies, live, signal);
  await catchUpWithLive(dependencies, { projection, generation: to, live: from, onTarget, onProgress }, signal);

  let { pausedMs } = replay;
  const built = await startShadowBuild(dependencies, { replay, projection }, report, signal);
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
        onTarget(paused.at);
        await written.confirm();
        await built.bringTo(paused);
        await requireDerivedAsFar(dependencies, { replay, projection });
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
