import { type ApiKeyPrincipal, type Authenticate, ExpiredCredential } from './access.ts';

/** Whether the registry has retired the network and the vendor of an API key. */
export interface RetiredSender {
  readonly network: boolean;
  readonly vendor: boolean;
}

/**
 * Creates an `Authenticate` that also throws UNAUTHORIZED for an API key whose vendor or network is retired. The key is valid again
 * when the operator registers both again.
 */
export const rejectRetiredSenders =
  (
    authenticate: Authenticate,
    findRetired: (key: ApiKeyPrincipal) => RetiredSender | Promise<RetiredSender>,
  ): Authenticate =>
  async (request, access) => {
    const principal = await authenticate(request, access);
    if (principal.kind !== 'api-key') return principal;
    const retired = await findRetired(principal);
    if (retired.network || retired.vendor) {
      const owner = retired.network ? `Network ${principal.network}` : `Vendor ${principal.vendor}`;
      throw new ExpiredCredential(`${owner} is retired, so its API keys are not valid. Ask your operator.`);
    }
    return principal;
  };
