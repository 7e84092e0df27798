import {
  type ClickHouseWriter,
  hasServerErrorType,
  isReplicaUnavailable,
  writersOfServers,
} from '@popsvc/platform/clickhouse';

interface OfServer<T> {
  /** ` at HOST` if the shard has several servers, else empty. */
  readonly place: string;
  readonly value: T;
}

/**
 * Reads something from each server of a shard. Leaves out replicas that do not respond or have no database: the check
 * `clickhouse-replica` reports them.
 */
export const readServers = async <T>(
  writer: ClickHouseWriter,
  read: (server: ClickHouseWriter) => Promise<T>,
): Promise<readonly OfServer<T>[]> => {
  const servers = writersOfServers(writer);
  const readOne = async (server: ClickHouseWriter): Promise<readonly OfServer<T>[]> => {
    try {
      const place = servers.length > 1 ? ` at ${new URL(server.server).host}` : '';
      return [{ place, value: await read(server) }];
    } catch (error) {
      const isReported = isReplicaUnavailable(error) || hasServerErrorType(error, ['UNKNOWN_DATABASE']);
      if (servers.length > 1 && isReported) return [];
      throw error;
    }
  };
  return (await Promise.all(servers.map(readOne))).flat();
};
