import { instantOf } from '@popsvc/contracts/time';
import type { ApiKeyPrincipal } from '@popsvc/platform/auth';
import type { RouteRequest } from '@popsvc/platform/http';

/** What events tell of the request they come from; for routes that let API keys in alone. */
export const senderOf = (
  { principal, requestId }: Pick<RouteRequest, 'principal' | 'requestId'>,
  receivedAtMs: number,
) => {
  const { network, vendor, keyId } = principal as ApiKeyPrincipal;
  return { receivedAt: instantOf(receivedAtMs), network, vendor, keyId, requestId };
};
