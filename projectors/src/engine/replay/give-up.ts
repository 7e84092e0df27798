import { abandonGeneration } from '@popsvc/platform/postgres';
import type { Conducted } from './conduct.ts';
import type { ReplayParts } from './replay-parts.ts';
import type { Report } from './report.ts';
import { sweepSnapshotsOf } from './snapshots.ts';
import { pointBack } from './switch-over.ts';

/** Ends a replay that does not come to its end: readers see what is live, and nothing is left of what was built. */
export const giveUp = async (
  parts: ReplayParts,
  { conducting, replay, projection }: Conducted,
  report: Report,
  ended: { readonly state: 'failed' | 'cancelled'; readonly error?: string },
): Promise<void> => {
  // Nobody else conducts it, or this one has no say.
  await report.note({});
  // They may have been pointed at the new generation by somebody who did not come to the end of it.
  await pointBack(parts, projection);
  await sweepSnapshotsOf(parts.writer, { replay: replay.id, epoch: conducting.epoch });
  if (replay.kind === 'replay')
    await abandonGeneration(parts.postgres, { projection: replay.projection, generation: replay.to });
  await report.note(ended);
};
