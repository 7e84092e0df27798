import { ApiError } from '@popsvc/contracts/errors';
import { currentEntity, isRetired, type Registry } from '@popsvc/domain/registry';
import type { ApiKeyPrincipal, Authenticate } from '@popsvc/platform/auth';

/**
 * Creates an `Authenticate` that also throws FORBIDDEN for an API key whose vendor or network is retired. The key is valid again
 * when the operator registers both again.
 */
export const rejectRetiredSenders =
  (authenticate: Authenticate, registry: Registry): Authenticate =>
  async (request, access) => {
    const principal = await authenticate(request, access);
    const retired = principal.kind === 'api-key' ? describeRetired(registry, principal) : undefined;
    if (retired !== undefined)
      throw new ApiError('FORBIDDEN', `${retired} is retired; its API keys cannot be used here.`);
    return principal;
  };

const describeRetired = (registry: Registry, { network, vendor }: ApiKeyPrincipal): string | undefined => {
  const networkEntity = currentEntity(registry, 'networks', String(network));
  if (networkEntity && isRetired(networkEntity)) return `Network ${network}`;
  const vendorEntity = currentEntity(registry, 'vendors', vendor);
  return vendorEntity && isRetired(vendorEntity) ? `Vendor ${vendor}` : undefined;
};
