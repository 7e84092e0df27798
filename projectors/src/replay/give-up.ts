import { giveUpGeneration, type ReplayRecord } from '@popsvc/platform/records';
import type { Projection } from '../run/projection.ts';
import type { ReplayParts } from './replay-parts.ts';
import type { Report } from './report.ts';
import { dropSnapshots } from './snapshots.ts';
import { pointBack } from './switch-over.ts';
import { snapshotsOf } from './verify.ts';

/** Ends a replay that does not come to its end: readers see what is live, and nothing is left of what was built. */
export const giveUp = async (
  parts: ReplayParts,
  { replay, projection }: { readonly replay: ReplayRecord; readonly projection: Projection },
  report: Report,
  ended: { readonly state: 'failed' | 'cancelled'; readonly error?: string },
): Promise<void> => {
  // They may have been pointed at the new generation by somebody who did not come to the end of it.
  await pointBack(parts, projection);
  await dropSnapshots(parts.writer, snapshotsOf(replay, projection));
  if (replay.kind === 'replay')
    await giveUpGeneration(parts.records, { projection: replay.projection, generation: replay.to });
  await report.note(ended);
};
