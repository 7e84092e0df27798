import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type AddressRange = ReturnType<typeof ipaddr.parseCIDR>;

export const parseAddressRanges = (text: string): readonly AddressRange[] | undefined => {
  try {
    return text
      .split(',')
      .map((range) => range.trim())
      .filter((range) => range !== '')
      .map((range) => ipaddr.parseCIDR(range));
  } catch {
    return undefined;
  }
};

/** The internet routes these IPv6 addresses. Others, such as 64:ff9b::/96, may lead to internal IPv4 addresses. */
const globalUnicast: AddressRange = ipaddr.parseCIDR('2000::/3');

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, [range, bits]: AddressRange): boolean =>
  address.kind() === range.kind() && address.match(range, bits);

/** `opened`: in one of the ranges that the operator has opened. `internal`: must not be reached. */
export type AddressClass = 'public' | 'opened' | 'internal';

/** An IPv4 address inside of an IPv6 address (`::ffff:10.0.0.1`) counts as the IPv4 address. */
export const classifyAddress = (text: string, opened: readonly AddressRange[]): AddressClass => {
  if (!ipaddr.isValid(text)) return 'internal';
  const address = ipaddr.process(text);
  if (opened.some((range) => isWithin(address, range))) return 'opened';
  const isPublic = address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, globalUnicast));
  return isPublic ? 'public' : 'internal';
};

export const addressOfHost = ({ hostname }: URL): string | undefined => {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? undefined : address;
};

/** Does not resolve a host name, because it may resolve to another address later. Check the address of each connection. */
export const findUrlProblem = (text: string, opened: readonly AddressRange[]): string | undefined => {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  const address = addressOfHost(url);
  const reached = address === undefined ? undefined : classifyAddress(address, opened);
  const mayBeHttp = opened.length > 0 && reached !== 'public';
  if (url.protocol !== 'https:' && (url.protocol !== 'http:' || !mayBeHttp)) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password';
  if (url.hash !== '') return 'must not have a fragment';
  const isLocalhost = /(?:^|\.)localhost\.?$/.test(url.hostname) && opened.length === 0;
  return reached === 'internal' || isLocalhost ? 'must not be an internal address' : undefined;
};
