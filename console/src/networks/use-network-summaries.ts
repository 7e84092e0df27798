import { ops, responseData } from '../api/client.ts';
import type { NetworkSummary } from '../api/types.ts';
import { type Resource, useResource } from '../state/resource.ts';

/** Loads the state of all networks, which the list and the page of a network show. */
export const useNetworkSummaries = (): Resource<{ readonly networks: readonly NetworkSummary[] }> =>
  useResource('network summaries', (signal) => responseData(ops.GET('/ops/v1/networks/summary', { signal })), {
    everyMs: 30_000,
  });
