import { hash } from 'node:crypto';
import { clientAddressKey, createAttemptLimiter, type RefillRate } from '@popsvc/http-kit/server';

/** Limits the rate of token requests before PostgreSQL is queried. Throws RATE_LIMITED if a limit is exceeded. */
export interface TokenRates {
  /** Counts a token request from a client address, regardless of the client id. */
  countAddress(address: string): void;
  /**
   * Counts a token request with a client id from a client address. Each pair of client id and address has its own limit, so
   * requests from another address cannot use up a client's limit.
   */
  countClient(address: string, clientId: string): void;
}

/**
 * The limit of a client address, and that of a client id at an address. A token is valid for 15 minutes, so even hundreds of partners
 * behind one proxy stay far below these limits if they reuse their tokens.
 */
const addressRate: RefillRate = { perSecond: 100, burst: 200 };
const clientRate: RefillRate = { perSecond: 10, burst: 20 };
const message = 'Too many token requests: reuse a token until it expires.';

/** Creates the rate limits. `now` is a monotonic clock in ms. */
export const createTokenRates = (now?: () => number): TokenRates => {
  const addresses = createAttemptLimiter({ rate: addressRate, message, now });
  const clients = createAttemptLimiter({ rate: clientRate, message, now });
  return {
    countAddress: (address) => addresses.count(clientAddressKey(address)),
    countClient(address, clientId) {
      // The key is hashed because a client id may be long and would otherwise use a lot of memory.
      clients.count(hash('sha256', `${clientAddressKey(address)} ${clientId}`, 'base64'));
    },
  };
};
