import { hash } from 'node:crypto';
import { clientAddressKey, createAttemptLimiter, type RefillRate } from '@popsvc/platform/http';

/** Limits token requests. Throws RATE_LIMITED, before PostgreSQL is queried. */
export interface TokenRates {
  /** Counts a request of an address, for any client. */
  countAddress(address: string): void;
  /** Counts a request for a client by address, so that other addresses cannot use up the client's limit. */
  countClient(address: string, clientId: string): void;
}

/** A token is valid for 15 minutes, so even hundreds of partners behind one proxy stay far below these limits. */
const addressRate: RefillRate = { perSecond: 100, burst: 200 };
const clientRate: RefillRate = { perSecond: 10, burst: 20 };
const message = 'Too many token requests: reuse a token until it expires.';

/** `now`: a monotonic clock in ms. */
export const createTokenRates = (now?: () => number): TokenRates => {
  const addresses = createAttemptLimiter({ rate: addressRate, message, now });
  const clients = createAttemptLimiter({ rate: clientRate, message, now });
  return {
    countAddress: (address) => addresses.count(clientAddressKey(address)),
    countClient(address, clientId) {
      // Hashed, so that long client ids do not take memory.
      clients.count(hash('sha256', `${clientAddressKey(address)} ${clientId}`, 'base64'));
    },
  };
};
