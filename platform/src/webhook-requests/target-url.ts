import { isIP } from 'node:net';
import { type AddressRange, classifyAddress } from './internal-addresses.ts';

/** Returns the IP address in a URL's host; undefined if the host is a name. */
export const addressOfHost = ({ hostname }: URL): string | undefined => {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? undefined : address;
};

/**
 * Returns why notices cannot be posted to a URL; undefined if they can. A host name is not resolved here, because it may resolve to
 * another address later: its address is checked whenever a connection is opened.
 */
export const findUrlProblem = (text: string, opened: readonly AddressRange[]): string | undefined => {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && (url.protocol !== 'http:' || opened.length === 0)) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password';
  if (url.hash !== '') return 'must not have a fragment';
  const address = addressOfHost(url);
  return (address !== undefined && classifyAddress(address, opened) === 'internal') ||
    (/(?:^|\.)localhost\.?$/.test(url.hostname) && opened.length === 0)
    ? 'must not be an internal address'
    : undefined;
};
