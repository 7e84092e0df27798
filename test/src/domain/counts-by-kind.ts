import { registryKindNames } from '@popsvc/contracts/registry';

/** Counts of a plan; 0 for kinds that are not given. */
export const counts = (some: Record<string, number> = {}) => ({
  ...Object.fromEntries(registryKindNames.map((kind) => [kind, 0])),
  ...some,
});
