import { registryKindNames } from '@popsvc/contracts/registry';

/** Counts of a plan: none of a kind that is not named. */
export const counts = (some: Record<string, number> = {}) => ({
  ...Object.fromEntries(registryKindNames.map((kind) => [kind, 0])),
  ...some,
});
