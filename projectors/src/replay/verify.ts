import type { ReplayRecord } from '@popsvc/platform/records';
import type { Projection } from '../run/projection.ts';
import { bring } from './bring.ts';
import { compare } from './compare.ts';
import { Hopeless } from './not-now.ts';
import type { ReplayParts } from './replay-parts.ts';
import type { Report } from './report.ts';
import { dropSnapshots, type Snapshots, takeSnapshots } from './snapshots.ts';
import { standingStill } from './standing-still.ts';

export interface Verifying {
  readonly replay: ReplayRecord;
  readonly projection: Projection;
  /** Whether other rows than before are what was asked for: another version of the projection makes them. */
  readonly mayDiffer: boolean;
}

export const snapshotsOf = (
  { id: replay, from, to }: ReplayRecord,
  projection: Projection,
): Snapshots & { readonly generations: readonly [number, number] } => ({ projection, generations: [from, to], replay });

/**
 * Compares both generations at one position of the log. The live one stands still only until both are copied, so it does not
 * matter how long comparing takes. Returns for how long it stood still, ms. Throws Hopeless where they differ and must not.
 */
export const verify = async (
  parts: ReplayParts,
  { replay, projection, mayDiffer }: Verifying,
  report: Report,
  signal: AbortSignal,
): Promise<number> => {
  const { writer } = parts;
  const snapshots = snapshotsOf(replay, projection);
  const stoodStillMs = await standingStill(
    parts,
    { projection: projection.name, generation: replay.from },
    async (still) => {
      await bring(parts, { projection, generation: replay.to, upTo: still.at }, report.onProgress, still.signal);
      await takeSnapshots(writer, snapshots);
      still.assertStill();
      return still.sinceMs();
    },
    signal,
  );
  try {
    const differences = await compare(writer, snapshots, signal);
    await report.note({ differences, verified: differences.length === 0 });
    if (differences.length > 0 && !mayDiffer)
      throw new Hopeless('The new generation holds other rows than the live one; readers stay where they are.');
  } finally {
    await dropSnapshots(writer, snapshots);
  }
  return stoodStillMs;
};
