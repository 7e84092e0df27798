import type { PlayReference } from '@popsvc/contracts/responses';
import type { Registry } from './registry.ts';

/** A growing set of ids, in the order of their registration. */
export type KnownIds = Pick<ReadonlySet<string>, 'has' | 'size' | 'keys'>;

const noIds: KnownIds = new Set();

/**
 * Returns the ids that a field of a play can name in a network. They include the ids of retired entities and ids that an entity no
 * longer has. The set grows with the registry. If it is empty, call the function again for later ids.
 */
export const knownIds = (registry: Registry, networkId: number, field: PlayReference): KnownIds =>
  idsOf[field](registry).get(networkId) ?? noIds;

const idsOf: Readonly<Record<PlayReference, (registry: Registry) => ReadonlyMap<number, KnownIds>>> = {
  screenId: ({ devicesOfScreen }) => devicesOfScreen,
  campaignId: ({ campaignIdsOfNetwork }) => campaignIdsOfNetwork,
  creativeId: ({ creativeIdsOfNetwork }) => creativeIdsOfNetwork,
};
