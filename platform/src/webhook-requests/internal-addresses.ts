import ipaddr from 'ipaddr.js';

/** A range of addresses, such as `10.1.0.0/16`. */
export type AddressRange = ReturnType<typeof ipaddr.parseCIDR>;

/** Parses comma-separated ranges in CIDR notation. Returns undefined if one is not valid. */
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

/** Addresses that the internet routes. Others, such as translations of IPv4 addresses (64:ff9b::/96), may lead to internal ones. */
const globalUnicast: AddressRange = ipaddr.parseCIDR('2000::/3');

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, [range, bits]: AddressRange): boolean =>
  address.kind() === range.kind() && address.match(range, bits);

/**
 * `public`: an address of the internet. `opened`: an internal address that the operator has opened. `internal`: any other address,
 * which must not be reached.
 */
export type AddressClass = 'public' | 'opened' | 'internal';

/** Classifies an IP address. An IPv4 address inside of an IPv6 address (`::ffff:10.0.0.1`) counts as the IPv4 address. */
export const classifyAddress = (text: string, opened: readonly AddressRange[]): AddressClass => {
  if (!ipaddr.isValid(text)) return 'internal';
  const address = ipaddr.process(text);
  if (opened.some((range) => isWithin(address, range))) return 'opened';
  const isPublic = address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, globalUnicast));
  return isPublic ? 'public' : 'internal';
};
