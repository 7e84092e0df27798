import { createHash } from 'node:crypto';
import type { Shard } from '@popsvc/domain/partitioning';

/**
 * The replicas of a shard, parsed from its part of CLICKHOUSE_URL, such as `http://a:8123/popsvc,http://b:8123/popsvc`.
 */
export interface ClickHouseServers {
  /** Addresses without a path, in the order of the list. */
  readonly servers: readonly string[];
  readonly database: string;
}

/** Returns the options for each shard that a URL names. The shards are separated by semicolons. */
export const listShardsOf = <Options extends { readonly url: string }>(
  options: Options,
): readonly (Options & { readonly shard: Shard })[] =>
  options.url.split(';').map((url, index, { length }) => ({ ...options, url, shard: { index, of: length } }));

export const describeShard = ({ index, of }: Shard): string => `shard ${index + 1} of ${of}`;

const defaultDatabase = 'popsvc';

const databaseOf = (url: string): string => new URL(url).pathname.slice(1) || defaultDatabase;

/** Parses a comma-separated list of URLs. Their common path is the name of the database; default `popsvc`. */
export const parseServers = (urls: string): ClickHouseServers => {
  const list = urls.split(',').map((url) => url.trim());
  const [database = defaultDatabase, ...others] = new Set(list.map(databaseOf));
  if (others.length > 0)
    throw new Error(`the addresses of ClickHouse name several databases: ${[database, ...others].join(', ')}`);
  return { servers: list.map((url) => new URL('/', url).toString()), database };
};

/** Lists the servers of all shards that a URL names, each with the given login. */
export const listServersOf = ({
  username,
  password,
  ...options
}: {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}) =>
  listShardsOf(options).flatMap(({ url, shard }) => {
    const { servers, database } = parseServers(url);
    return servers.map((server) => ({ server, database, shard, credentials: { username, password } }));
  });

const rank = (key: string, server: string): string => createHash('sha256').update(`${key} ${server}`).digest('hex');

/**
 * Orders servers by rendezvous hashing of the key. If a server is removed, the others keep their order, so only the keys that
 * preferred this server prefer another one.
 */
export const orderServers = <Server extends { readonly server: string }>(
  key: string,
  servers: readonly Server[],
): readonly Server[] => [...servers].sort((one, other) => (rank(key, one.server) < rank(key, other.server) ? -1 : 1));
