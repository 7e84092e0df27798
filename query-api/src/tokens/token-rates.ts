import { hash } from 'node:crypto';
import { attempts, type Filling, subscriberOf } from '@popsvc/platform/http';

/** How often tokens may be asked for. Throws RATE_LIMITED, and then the records are not asked. */
export interface TokenRates {
  /** From one address, whoever it says to be. */
  countPeer(peer: string): void;
  /** As one client from one address: elsewhere somebody who knows its id cannot use up what is its own. */
  countClient(peer: string, clientId: string): void;
}

/** A token lives for a quarter of an hour, so even hundreds of partners behind one proxy stay far below these. */
const peerFilling: Filling = { perSecond: 100, burst: 200 };
const clientFilling: Filling = { perSecond: 10, burst: 20 };
const message = 'Tokens are asked for too often: one is good until it expires.';

/** `now`: monotonic ms. */
export const tokenRates = (now?: () => number): TokenRates => {
  const peers = attempts({ filling: peerFilling, message, now });
  const clients = attempts({ filling: clientFilling, message, now });
  return {
    countPeer: (peer) => peers.count(subscriberOf(peer)),
    // Hashed, so that what is remembered is as short however long the id.
    countClient: (peer, clientId) => clients.count(hash('sha256', `${subscriberOf(peer)} ${clientId}`, 'base64')),
  };
};
