import type { PlayReference } from '@popsvc/contracts/responses';
import type { Registry } from './registry.ts';

/** A growing set of ids, in the order of their registration. */
export type KnownIds = Pick<ReadonlySet<string>, 'has' | 'size' | 'keys'>;

const noIds: KnownIds = new Set();

/** Includes ids of retired entities. The set grows with the registry. If it is empty, call the function again to get later ids. */
export const knownIds = (registry: Registry, networkId: number, field: PlayReference): KnownIds =>
  idsOf[field](registry).get(networkId) ?? noIds;

const idsOf: Readonly<Record<PlayReference, (registry: Registry) => ReadonlyMap<number, KnownIds>>> = {
  screenId: ({ devicesOfScreen }) => devicesOfScreen,
  campaignId: ({ campaignIdsOfNetwork }) => campaignIdsOfNetwork,
  creativeId: ({ creativeIdsOfNetwork }) => creativeIdsOfNetwork,
};
