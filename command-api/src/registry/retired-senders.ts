import { currentEntity, isRetired, type Registry } from '@popsvc/domain/registry';
import type { ApiKeyPrincipal, RetiredSender } from '@popsvc/http-kit/auth';

/** Creates a function that finds in the registry whether the network and the vendor of an API key are retired. */
export const createRetiredSenders =
  (registry: Registry) =>
  ({ network, vendor }: ApiKeyPrincipal): RetiredSender => {
    const [networkEntity, vendorEntity] = [
      currentEntity(registry, 'networks', String(network)),
      currentEntity(registry, 'vendors', vendor),
    ];
    return {
      network: networkEntity !== undefined && isRetired(networkEntity),
      vendor: vendorEntity !== undefined && isRetired(vendorEntity),
    };
  };
