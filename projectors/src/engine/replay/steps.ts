import {
  type ReplayCoordination,
  type GenerationRecord,
  readGenerations,
  type ReplayRecord,
} from '@popsvc/platform/postgres';
import type { Projection } from '../projection.ts';
import { createGenerationTables, damagedTables, dropGenerationTables } from '@popsvc/read-models/generations';
import { startShadowBuild } from './shadow-build.ts';
import { advanceGeneration, catchUpWithLive, readValidPosition, settled, waitUntilSettled } from './catch-up.ts';
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

  const { onProgress, onTarget } = report;
  const live = { projection: projection.name, generation: from };
  const upTo = await readValidPosition(dependencies, live);
  onTarget(upTo);
  // For a rollback the generation already has a writer, and `advanceGeneration` waits for it.
  const buildInBackground = kind === 'replay' ? dependencies.buildInBackground : undefined;
  await advanceGeneration(dependencies, { projection, generation: to, upTo, buildInBackground }, onProgress, signal);
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
