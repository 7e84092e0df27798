import { abandonGeneration } from '@popsvc/platform/postgres';
import type { ReplayRun } from './conduct.ts';
import type { ReplayDependencies } from './replay-parts.ts';
import type { ReplayReport } from './report.ts';
import { dropSnapshotsOfReplay } from './snapshots.ts';
import { pointReadersToLive } from './switch-over.ts';

/** Ends a replay that does not come to its end: readers see what is live, and nothing is left of what was built. */
export const abandonReplay = async (
  parts: ReplayDependencies,
  { conducting, replay, projection }: ReplayRun,
  report: ReplayReport,
  ended: { readonly state: 'failed' | 'cancelled'; readonly error?: string },
): Promise<void> => {
  // Nobody else conducts it, or this one has no say.
  await report.write({});
  // They may have been pointed at the new generation by somebody who did not come to the end of it.
  await pointReadersToLive(parts, projection);
  await dropSnapshotsOfReplay(parts.writer, { replay: replay.id, epoch: conducting.epoch });
  if (replay.kind === 'replay')
    await abandonGeneration(parts.postgres, { projection: replay.projection, generation: replay.to });
  await report.write(ended);
};
