import { hash } from 'node:crypto';
import { clientAddressKey, createAttemptLimiter, type RefillRate } from '@popsvc/http-kit/server';

/** Both methods throw RATE_LIMITED. The route calls them before it queries PostgreSQL. */
export interface TokenRates {
  countAddress(address: string): void;
  /** Each pair of client id and address has a limit, so other addresses cannot use up the limit of a client. */
  countClient(address: string, clientId: string): void;
}

/** A token is valid for 15 minutes, so even hundreds of partners behind one proxy stay far below these limits. */
const addressRate: RefillRate = { perSecond: 100, burst: 200 };
const clientRate: RefillRate = { perSecond: 10, burst: 20 };
const message = 'Too many token requests: reuse a token until it expires.';

export const createTokenRates = (now?: () => number): TokenRates => {
  const addresses = createAttemptLimiter({ rate: addressRate, message, now });
  const clients = createAttemptLimiter({ rate: clientRate, message, now });
  return {
    countAddress: (address) => addresses.count(clientAddressKey(address)),
    countClient(address, clientId) {
      // A client id may be long, and would use a lot of memory.
      clients.count(hash('sha256', `${clientAddressKey(address)} ${clientId}`, 'base64'));
    },
  };
};
