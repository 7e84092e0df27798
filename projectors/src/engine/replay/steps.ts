import {
  type ReplayCoordination,
  type GenerationRecord,
  readGenerations,
  type ReplayRecord,
} from '@popsvc/platform/postgres';
import type { Projection } from '../projection.ts';
import { createGenerationTables, dropGenerationTables } from '@popsvc/read-models/generations';
import { startShadowBuild } from './shadow-build.ts';
import { advanceGeneration, catchUpWithLive, readValidPosition, waitUntilSettled } from './catch-up.ts';
import { PermanentReplayError } from './errors.ts';
import type { ReplayDependencies } from './dependencies.ts';
import type { ReplayReport } from './report.ts';
import { dropSnapshotsOfReplay } from './snapshots.ts';
import { withPausedGeneration } from './pause.ts';
import { reloadNames, switchReaders } from './switch-readers.ts';
import { verifyReplay } from './verify.ts';

export interface ReplayRun {
  readonly conducting: ReplayCoordination;
  readonly replay: ReplayRecord;
  readonly projection: Projection;
}

const requireGeneration = (
  known: readonly GenerationRecord[],
  { projection, kind, to }: ReplayRecord,
): GenerationRecord => {
  const expected = kind === 'replay' ? 'building' : 'kept';
  const found = known.find((record) => record.projection === projection && record.generation === to);
  if (found?.state === expected) return found;
  throw new PermanentReplayError(`Generation ${to} is ${found ? found.state : 'gone'}, not ${expected}.`);
};

/**
 * Runs a replay from its current state to its end: builds the generation, catches up with the live one, compares the
 * two, and switches readers while both are at one position. A repeated call resumes: what is built stays, and every
 * other step is short.
 */
export const runReplaySteps = async (
  parts: ReplayDependencies,
  { conducting, replay, projection }: ReplayRun,
  report: ReplayReport,
  signal: AbortSignal,
): Promise<void> => {
  const { from, to, kind } = replay;
  const known = await readGenerations(parts.postgres);
  const { version } = requireGeneration(known, replay);
  if (kind === 'replay' && version !== projection.version)
    throw new PermanentReplayError(
      `Version ${version} of the projection began the replay, and this build has version ${projection.version}; request it again.`,
    );
  const before = known.find(({ projection: name, generation }) => name === projection.name && generation === from);
  // PostgreSQL may have been restored to a time before this generation number was used.
  if (kind === 'replay' && !replay.startedAt) await dropGenerationTables(parts.writer, { projection, generation: to });
  await report.write({
    state: kind === 'replay' ? 'building' : 'catching_up',
    startedAt: replay.startedAt ?? new Date(),
  });
  await createGenerationTables(parts.writer, { projection, generation: to });
  // Left by a process that was killed while comparing.
  if (replay.startedAt && replay.verify)
    await dropSnapshotsOfReplay(parts.writer, { replay: replay.id, epoch: conducting.epoch });

  const { onProgress, onTarget } = report;
  const live = { projection: projection.name, generation: from };
  const upTo = await readValidPosition(parts, live);
  onTarget(upTo);
  // A kept generation has a writer already, which is waited for.
  const buildInBackground = kind === 'replay' ? parts.buildInBackground : undefined;
  await advanceGeneration(parts, { projection, generation: to, upTo, buildInBackground }, onProgress, signal);
  await report.write({ state: 'catching_up', step: null });
  const written = await waitUntilSettled(parts, live, signal);
  await catchUpWithLive(parts, { projection, generation: to, live: from, onTarget, onProgress }, signal);

  let { pausedMs } = replay;
  const built = await startShadowBuild(parts, { replay, projection }, report, signal);
  try {
    await built.closeUp();
    if (replay.verify && !replay.verified) {
      await report.write({ state: 'verifying' });
      const mayDiffer = before?.version !== version;
      pausedMs += await verifyReplay(
        parts,
        { conducting, replay, projection, mayDiffer, built, written },
        report,
        signal,
      );
      await report.write({ state: 'catching_up', pausedMs });
      await built.closeUp();
    }
    await report.write({ state: 'switching' });
    await withPausedGeneration(
      parts,
      { ...live, epoch: conducting.epoch },
      async (paused) => {
        onTarget(paused.at);
        await written.confirm();
        await built.bringTo(paused);
        await report.write({});
        await switchReaders(parts, { conducting, replay: { ...replay, pausedMs }, projection }, paused);
      },
      signal,
    );
  } finally {
    await built.end();
  }
  parts.onSwitched?.();
  // A process killed before this leaves stale names; a start reloads them, too.
  await reloadNames(parts, projection);
};
