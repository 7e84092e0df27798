import { createSampler, type SamplerOptions } from '@popsvc/platform/runtime';

/**
 * Creates a function that reads a value of each shard or server, with a sampler for each: one that does not respond in time has no
 * value, and does not affect the others.
 */
export const sampleEach = <Each, T>(
  all: readonly Each[],
  read: (each: Each) => Promise<T>,
  options: SamplerOptions,
): (() => Promise<readonly { readonly of: Each; readonly value: T }[]>) => {
  const samplers = all.map((of) => ({ of, sample: createSampler(() => read(of), options) }));
  return async () => {
    const values = await Promise.all(samplers.map(async ({ of, sample }) => ({ of, value: await sample() })));
    return values.flatMap(({ of, value }) => (value === undefined ? [] : [{ of, value }]));
  };
};
