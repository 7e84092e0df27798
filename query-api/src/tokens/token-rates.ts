import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { Refusal } from '@popsvc/contracts/errors';
import { type Filling, TokenBucket } from '@popsvc/platform/http';
import { LRUCache } from 'lru-cache';

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
/** Who is not among so many last seen starts anew. */
const remembered = 10_000;

/** `now`: monotonic ms. */
export const tokenRates = (now: () => number = () => performance.now()): TokenRates => {
  const counted = (filling: Filling) => {
    const buckets = new LRUCache<string, TokenBucket>({ max: remembered });
    return (name: string) => {
      const bucket = buckets.get(name) ?? new TokenBucket();
      buckets.set(name, bucket);
      const waitSeconds = bucket.take(1, filling, now());
      if (waitSeconds > 0)
        throw new Refusal('RATE_LIMITED', 'Tokens are asked for too often: one is good until it expires.', {
          retryAfterSeconds: Math.ceil(waitSeconds),
        });
    };
  };
  const [peers, clients] = [counted(peerFilling), counted(clientFilling)];
  return {
    countPeer: (peer) => peers(subscriberOf(peer)),
    // Hashed, so that what is remembered is as short however long the id.
    countClient: (peer, clientId) => clients(hash('sha256', `${subscriberOf(peer)} ${clientId}`, 'base64')),
  };
};

/** Of IPv6, where everybody has more addresses than anyone can count, the network. */
const subscriberOf = (peer: string): string => {
  if (!isIPv6(peer) || peer.startsWith('::ffff:')) return peer;
  const [head = '', tail] = peer.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
};
