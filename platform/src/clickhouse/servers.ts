import { createHash } from 'node:crypto';
import type { Shard } from '@popsvc/domain/partitioning';

/** The part of CLICKHOUSE_URL for one shard, such as `http://a:8123/popsvc,http://b:8123/popsvc`. */
export interface ClickHouseServers {
  readonly servers: readonly string[];
  readonly database: string;
}

/** Semicolons separate the shards in `url`. */
export const listShardsOf = <Options extends { readonly url: string }>(
  options: Options,
): readonly (Options & { readonly shard: Shard })[] =>
  options.url.split(';').map((url, index, { length }) => ({ ...options, url, shard: { index, of: length } }));

export const describeShard = ({ index, of }: Shard): string => `shard ${index + 1} of ${of}`;

const defaultDatabase = 'popsvc';

const databaseOf = (url: string): string => new URL(url).pathname.slice(1) || defaultDatabase;

export const parseServers = (urls: string): ClickHouseServers => {
  const list = urls.split(',').map((url) => url.trim());
  const [database = defaultDatabase, ...others] = new Set(list.map(databaseOf));
  if (others.length > 0)
    throw new Error(`the addresses of ClickHouse name several databases: ${[database, ...others].join(', ')}`);
  return { servers: list.map((url) => new URL('/', url).toString()), database };
};

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

/** Orders servers by rendezvous hashing: if a server is removed, the others keep their order. */
export const orderServers = <Server extends { readonly server: string }>(
  key: string,
  servers: readonly Server[],
): readonly Server[] => [...servers].sort((one, other) => (rank(key, one.server) < rank(key, other.server) ? -1 : 1));
