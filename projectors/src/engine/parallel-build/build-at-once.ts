import type { LeaseKey } from '@popsvc/platform/postgres';
import { ServerRestarted } from '../final.ts';
import { createRestartCheck } from '../same-server.ts';
import type { BuildTarget, BuildDependencies, BuildProgress } from './build.ts';
import { reopenLostParts } from './distrust.ts';
import { finishBuild } from './finish.ts';
import { buildInThisProcess } from './in-this-process.ts';
import { planBuild } from './plan.ts';
import { reportBuildProgress } from './telling.ts';

/**
 * Makes a generation of the whole log at once: its parts are written down, worked on by as many hands as there are, and become a
 * generation when none is left. Returns up to where it is made: a build that was begun before ends where it was to end then.
 */
export const buildInParallel = async (
  parts: BuildDependencies,
  build: BuildTarget,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<bigint> => {
  const { writer, postgres, runWorkers = buildInThisProcess(parts) } = parts;
  const key: LeaseKey = { projection: build.projection.name, generation: build.generation };
  await writer.assertSettings();
  const recorded = await planBuild(parts, build, signal);
  const stopTelling = await reportBuildProgress(postgres, key, onProgress);
  try {
    for (;;) {
      const assertSameServer = await createRestartCheck(writer);
      await reopenLostParts(parts, key);
      await runWorkers(build, signal);
      signal.throwIfAborted();
      const isSame = await assertSameServer().then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof ServerRestarted)) throw error;
          return false;
        },
      );
      if (isSame) break;
    }
  } finally {
    await stopTelling();
  }
  await finishBuild(parts, { ...build, ...recorded });
  return recorded.upTo;
};
