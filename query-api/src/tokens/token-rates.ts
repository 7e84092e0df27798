import { hash } from 'node:crypto';
import { createAttemptLimiter, type RefillRate, clientAddressKey } from '@popsvc/platform/http';

/** How often tokens may be asked for. Throws RATE_LIMITED, and then the records are not asked. */
export interface TokenRates {
  /** From one address, whoever it says to be. */
  countPeer(peer: string): void;
  /** As one client from one address: elsewhere somebody who knows its id cannot use up what is its own. */
  countClient(peer: string, clientId: string): void;
}

/** A token lives for a quarter of an hour, so even hundreds of partners behind one proxy stay far below these. */
const peerFilling: RefillRate = { perSecond: 100, burst: 200 };
const clientFilling: RefillRate = { perSecond: 10, burst: 20 };
const message = 'Tokens are asked for too often: one is good until it expires.';

/** `now`: monotonic ms. */
export const tokenRates = (now?: () => number): TokenRates => {
  const peers = createAttemptLimiter({ rate: peerFilling, message, now });
  const clients = createAttemptLimiter({ rate: clientFilling, message, now });
  return {
    countPeer: (peer) => peers.count(clientAddressKey(peer)),
    // Hashed, so that what is remembered is as short however long the id.
    countClient: (peer, clientId) => clients.count(hash('sha256', `${clientAddressKey(peer)} ${clientId}`, 'base64')),
  };
};
