import { buildInParallel } from '../parallel-build/build-at-once.ts';
import type { BuildTarget, BuildDependencies, BuildProgress } from '../parallel-build/build.ts';
import { foldUpTo } from './fold-up-to.ts';

/**
 * Makes a generation that nobody else writes of the log up to and including `upTo`, and of nothing past it: one that is new at
 * once, one that stands somewhere from there on. Resolves when its checkpoint and its progress stand where an incarnation may
 * go on; told again it goes on where it stood. An event that cannot be folded ends it with PoisonMet. Throws when it cannot go
 * on, or the signal's reason.
 */
export const buildGeneration = async (
  parts: BuildDependencies,
  build: BuildTarget,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  const key = { projection: build.projection.name, generation: build.generation };
  const { position, begun } = await parts.checkpoints.read(key);
  if (build.projection.parallelBuild && position === 0n && begun === 0n && build.upTo > 0n) {
    const madeOf = await buildInParallel(parts, build, onProgress, signal);
    if (madeOf >= build.upTo) return;
  }
  await foldUpTo(parts, build, onProgress, signal);
};
