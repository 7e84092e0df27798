import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';

/** A TCP connection over IPv4. */
export interface Connection {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** A socket in any other state may have no owner, and the kernel then reports `root`. */
const established = '01';

/** As in /proc/net/tcp: hexadecimal numbers, the address in host byte order. */
const formatEnd = (address = '', port = 0): string => {
  const bytes = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const ordered = endianness() === 'LE' ? bytes.reverse() : bytes;
  return `${ordered.join('')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
};

/** Precedes an IPv4 address in /proc/net/tcp6, which lists connections of IPv6 sockets, including those to 127.0.0.1. */
const mappedPrefix = endianness() === 'LE' ? '0000000000000000FFFF0000' : '00000000000000000000FFFF';

/** `table` is the text of /proc/net/tcp or /proc/net/tcp6. Returns undefined without such an established connection. */
export const findPeerUser = (table: string, connection: Connection): number | undefined => {
  const peer = formatEnd(connection.remoteAddress, connection.remotePort);
  const node = formatEnd(connection.localAddress, connection.localPort);
  for (const line of table.split('\n')) {
    const [, local = '', remote = '', state, , , , user] = line.trim().split(/\s+/);
    const isPeer = local === peer || local === mappedPrefix + peer;
    if (isPeer && (remote === node || remote === mappedPrefix + node))
      return state === established ? Number(user) : undefined;
  }
  return undefined;
};

/** A machine without IPv6 has no /proc/net/tcp6. */
const readTable = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** Works only on Linux. Synchronous, because nothing may be read from the connection before its user is known. */
export const readPeerUser = (connection: Connection): number | undefined =>
  findPeerUser(readTable('/proc/net/tcp'), connection) ?? findPeerUser(readTable('/proc/net/tcp6'), connection);
