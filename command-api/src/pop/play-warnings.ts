import type { PopEvent } from '@popsvc/contracts/commands';
import { type EventWarnings, PLAY_REFERENCES } from '@popsvc/contracts/responses';
import { findPlayWarnings } from '@popsvc/domain/intake';
import { createNearestIds, knownIds } from '@popsvc/domain/registry';
import type { ApiKeyPrincipal } from '@popsvc/http-kit/auth';
import type { IntakeMetrics } from '../intake/metrics.ts';
import type { RegistryCache } from '../registry/registry-cache.ts';

export type FindWarnings = (
  listField: string,
  plays: readonly PopEvent[],
  sender: Pick<ApiKeyPrincipal, 'network' | 'vendor'>,
  isStored: boolean,
) => EventWarnings;

/** Does not wait for the registry cache: may warn of an id registered a moment ago, and finds nothing while the cache is catching up. */
export const createWarningFinder = (
  { registry, isReady }: Pick<RegistryCache, 'registry' | 'isReady'>,
  metrics: Pick<IntakeMetrics, 'countUnknownReferences'>,
): FindWarnings => {
  const nearestIds = createNearestIds(registry, () => performance.now());
  return (listField, plays, { network, vendor }, isStored) => {
    if (!isReady()) return {};
    const known = {
      screenId: knownIds(registry, network, 'screenId'),
      campaignId: knownIds(registry, network, 'campaignId'),
      creativeId: knownIds(registry, network, 'creativeId'),
    };
    const { response, unknownPlays } = findPlayWarnings(
      plays,
      { known, findNearest: (field, unknownId) => nearestIds.find(network, field, unknownId) },
      listField,
    );
    for (const field of PLAY_REFERENCES)
      if (isStored && unknownPlays[field] > 0)
        metrics.countUnknownReferences({ network, vendor }, field, unknownPlays[field]);
    return response;
  };
};
