import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplayCoordination, ReplayRecord } from '@popsvc/platform/postgres';
import { countPartitions } from '@popsvc/read-models/generations';
import { findNetworksBehind } from '../pending-ranges.ts';
import type { Projection } from '../projection.ts';
import type { ShadowBuild } from './shadow-build.ts';
import { compareGenerations } from './compare.ts';
import { PermanentReplayError, RetryableReplayError } from './errors.ts';
import type { ReplayDependencies } from './dependencies.ts';
import type { ReplayReport } from './report.ts';
import { dropSnapshots, type Snapshots, takeSnapshots } from './snapshots.ts';
import { withPausedGeneration } from './pause.ts';
import type { SettledCheck } from './catch-up.ts';

export interface VerifyOptions {
  readonly coordination: ReplayCoordination;
  readonly replay: ReplayRecord;
  readonly projection: Projection;
  /** True if different versions of the projection built the generations. */
  readonly mayDiffer: boolean;
  readonly built: ShadowBuild;
  readonly written: SettledCheck;
}

type ComparedSnapshots = Snapshots & { readonly generations: readonly [number, number] };

const snapshotsOf = ({ coordination, replay: { id, from, to }, projection }: VerifyOptions): ComparedSnapshots => ({
  projection,
  generations: [from, to],
  replay: id,
  epoch: coordination.epoch,
});

const behindPollMs = 500;
const maxBehindMs = 600_000;

type ComparedReplay = Pick<VerifyOptions, 'replay' | 'projection'>;

const findBehind = (
  { writer, partitions = 1 }: ReplayDependencies,
  { replay: { from, to }, projection }: ComparedReplay,
) =>
  findNetworksBehind(writer, projection, { one: to, other: from, partitions: countPartitions(projection, partitions) });

/** Throws `RetryableReplayError` if the new generation has derived a network less far than the live one. */
export const requireDerivedAsFar = async (
  dependencies: ReplayDependencies,
  verifying: ComparedReplay,
): Promise<void> => {
  const [network] = await findBehind(dependencies, verifying);
  if (network !== undefined)
    throw new RetryableReplayError(`the new generation still derives pending ranges of network ${network}`);
};

export const waitUntilDerived = async (
  dependencies: ReplayDependencies,
  verifying: ComparedReplay,
  signal: AbortSignal,
): Promise<void> => {
  const until = performance.now() + maxBehindMs;
  while (performance.now() < until && (await findBehind(dependencies, verifying)).length > 0)
    await sleep(behindPollMs, undefined, { signal });
};

/**
 * Pauses the live generation only until the snapshots are taken, and returns the duration in ms. Throws `PermanentReplayError` if rows
 * differ although the same version built both generations.
 */
export const verifyReplay = async (
  dependencies: ReplayDependencies,
  verifying: VerifyOptions,
  report: ReplayReport,
  signal: AbortSignal,
): Promise<number> => {
  const { writer, log } = dependencies;
  const { coordination, replay, projection, mayDiffer, built, written } = verifying;
  const { from, to: generation } = replay;
  const snapshots = snapshotsOf(verifying);
  await waitUntilDerived(dependencies, verifying, signal);
  try {
    const pausedMs = await withPausedGeneration(
      dependencies,
      { projection, generation: from, epoch: coordination.epoch },
      async (paused) => {
        await written.confirm();
        await built.bringTo(paused);
        await requireDerivedAsFar(dependencies, verifying);
        await takeSnapshots(writer, snapshots, paused.signal);
        await paused.confirmPaused();
        return paused.sinceMs();
      },
      signal,
    );
    const onRows = (done: number, of: number) => report.onStep({ name: 'rows', done, of });
    const differences = await compareGenerations(writer, snapshots, onRows, signal);
    await report.write({ differences, verified: differences.length === 0, step: null });
    if (differences.length > 0 && !mayDiffer)
      throw new PermanentReplayError(
        'The new generation contains other rows than the live one; readers stay on the live generation.',
      );
    return pausedMs;
  } finally {
    await dropSnapshots(writer, snapshots).catch((err: unknown) =>
      log.warn(
        { err, projection: projection.name, generation },
        'failed to drop verification snapshots; they will be dropped later',
      ),
    );
  }
};
