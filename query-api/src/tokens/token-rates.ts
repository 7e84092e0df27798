import { hash } from 'node:crypto';
import { clientAddressKey, createAttemptLimiter, type RefillRate } from '@popsvc/platform/http';

/** Limits the rate of token requests, before PostgreSQL is queried. Throws RATE_LIMITED. */
export interface TokenRates {
  /** Counts a token request from an address, whichever client it is for. */
  countAddress(address: string): void;
  /** Counts a token request for a client from an address. The address is included, so that others cannot use up the client's limit. */
  countClient(address: string, clientId: string): void;
}

/**
 * Limits per address and per client. A token is valid for 15 minutes, so even hundreds of partners behind one proxy stay far
 * below them.
 */
const addressRate: RefillRate = { perSecond: 100, burst: 200 };
const clientRate: RefillRate = { perSecond: 10, burst: 20 };
const message = 'Too many token requests: reuse a token until it expires.';

/** Creates the limits. `now` is a monotonic clock in ms. */
export const createTokenRates = (now?: () => number): TokenRates => {
  const addresses = createAttemptLimiter({ rate: addressRate, message, now });
  const clients = createAttemptLimiter({ rate: clientRate, message, now });
  return {
    countAddress: (address) => addresses.count(clientAddressKey(address)),
    countClient(address, clientId) {
      // The client id is hashed, so that long ids do not take much memory.
      clients.count(hash('sha256', `${clientAddressKey(address)} ${clientId}`, 'base64'));
    },
  };
};
