import type { PlayReference } from '@popsvc/contracts/responses';
import type { Registry } from './registry.ts';

/** A growing set of ids, in the order of their registration. */
export type KnownIds = Pick<ReadonlySet<string>, 'has' | 'size' | 'keys'>;

const noIds: KnownIds = new Set();

/**
 * Returns the ids that a field of a play can contain in a network, including those of retired entities and those that an entity no
 * longer has. The set grows with the registry. Only an empty set does not grow: to get ids that are registered later, call the
 * function again.
 */
export const knownIds = (registry: Registry, networkId: number, field: PlayReference): KnownIds =>
  idsOf[field](registry).get(networkId) ?? noIds;

const idsOf: Readonly<Record<PlayReference, (registry: Registry) => ReadonlyMap<number, KnownIds>>> = {
  screenId: ({ devicesOfScreen }) => devicesOfScreen,
  campaignId: ({ campaignIdsOfNetwork }) => campaignIdsOfNetwork,
  creativeId: ({ creativeIdsOfNetwork }) => creativeIdsOfNetwork,
};
