import type { LeaseKey } from '@popsvc/platform/postgres';
import { ServerRestarted } from '../final.ts';
import { sameServer } from '../same-server.ts';
import type { Build, BuildParts, BuildProgress } from './build.ts';
import { distrust } from './distrust.ts';
import { finish } from './finish.ts';
import { inThisProcess } from './in-this-process.ts';
import { plan } from './plan.ts';
import { telling } from './telling.ts';

/**
 * Makes a generation of the whole log at once: its parts are written down, worked on by as many hands as there are, and become a
 * generation when none is left. Returns up to where it is made: a build that was begun before ends where it was to end then.
 */
export const buildAtOnce = async (
  parts: BuildParts,
  build: Build,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<bigint> => {
  const { writer, postgres, hands = inThisProcess(parts) } = parts;
  const key: LeaseKey = { projection: build.projection.name, generation: build.generation };
  await writer.assertSettings();
  const recorded = await plan(parts, build, signal);
  const stopTelling = await telling(postgres, key, onProgress);
  try {
    for (;;) {
      const assertSameServer = await sameServer(writer);
      await distrust(parts, key);
      await hands(build, signal);
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
  await finish(parts, { ...build, ...recorded });
  return recorded.upTo;
};
