import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { onlyShard, type Shard } from '@popsvc/domain/partitioning';
import { ConfigError } from '../config/index.ts';
import { isReplicaUnavailable } from './reader-errors.ts';
import { describeShard } from './servers.ts';

/** The database of a server belongs to another shard than CLICKHOUSE_URL says. */
export class WrongShardError extends ConfigError {}

export const findWrongShard = (error: unknown): WrongShardError | undefined => {
  if (error instanceof WrongShardError) return error;
  return error instanceof Error ? findWrongShard(error.cause) : undefined;
};

export interface ListedServer {
  /** Address without a path. */
  readonly server: string;
  readonly database: string;
  readonly shard: Shard;
}

const isShardDescription = (comment: string): boolean => /^shard \d+ of \d+$/.test(comment);

/** Throws WrongShardError. A database whose comment names no shard belongs to the only shard. */
export const requireShard = ({ server, database, shard }: ListedServer, comment: string): void => {
  const found = isShardDescription(comment) ? comment : describeShard(onlyShard);
  const listed = describeShard(shard);
  if (found !== listed)
    throw new WrongShardError(
      `database ${database} on ${new URL(server).host} is ${found}, and CLICKHOUSE_URL lists it as ${listed}: list all shards in ` +
        'the order of their first start, or name another database, which the projections fill from the log',
    );
};

export const checkTimeoutMs = 10_000;

const checkShard = async (client: ClickHouseClient, listed: ListedServer, signal?: AbortSignal): Promise<boolean> => {
  const timeout = AbortSignal.timeout(checkTimeoutMs);
  const result = await client.query({
    query: 'SELECT comment FROM system.databases WHERE name = {name:String}',
    query_params: { name: listed.database },
    format: 'JSONEachRow',
    abort_signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  const [row] = await result.json<{ comment: string }>();
  if (!row) return false;
  requireShard(listed, row.comment);
  return true;
};

export interface ShardGuard {
  check(): Promise<void>;
  /** Checks the shard first, unless an earlier check succeeded and no statement has found the server unavailable since. */
  run<T>(signal: AbortSignal, statement: () => Promise<T>): Promise<T>;
}

/** Checks again after a failure of the connection, because another server may then answer at the address. */
export const createShardGuard = (client: ClickHouseClient, listed: ListedServer): ShardGuard => {
  let isChecked = false;
  const check = async (signal?: AbortSignal) => {
    try {
      isChecked = await checkShard(client, listed, signal);
    } catch (error) {
      isChecked = false;
      throw error;
    }
  };
  return {
    check: () => check(),
    async run(signal, statement) {
      if (!isChecked) await check(signal);
      try {
        return await statement();
      } catch (error) {
        if (isReplicaUnavailable(error)) isChecked = false;
        throw error;
      }
    },
  };
};

/** Throws `WrongShardError` with a line for each server of another shard. Skips servers that do not respond. */
export const requireListedShards = async (
  servers: readonly (ListedServer & {
    readonly credentials: { readonly username: string; readonly password: string };
  })[],
): Promise<void> => {
  const results = await Promise.allSettled(
    servers.map(async ({ credentials, ...listed }) => {
      const client = createClient({ url: listed.server, ...credentials, log: { level: ClickHouseLogLevel.OFF } });
      try {
        await checkShard(client, listed);
      } finally {
        await client.close();
      }
    }),
  );
  const wrong = results.flatMap((result) =>
    result.status === 'rejected' && result.reason instanceof WrongShardError ? [result.reason.message] : [],
  );
  if (wrong.length > 0) throw new WrongShardError(wrong.join('\n'));
};
