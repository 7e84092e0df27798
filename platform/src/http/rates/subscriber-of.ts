import { isIPv6 } from 'node:net';

/** Who is counted as one by an address: of IPv6, where everybody has more addresses than anyone can count, the network. */
export const clientAddressKey = (peer: string): string => {
  if (!isIPv6(peer) || peer.startsWith('::ffff:')) return peer;
  const [head = '', tail] = peer.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
};
