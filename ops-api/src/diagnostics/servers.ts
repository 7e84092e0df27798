import { type ClickHouseWriter, isReplicaUnavailable, writersOfServers } from '@popsvc/platform/clickhouse';

interface OfServer<T> {
  /** ` at HOST` if the shard has several servers, else empty. */
  readonly place: string;
  readonly value: T;
}

/** Reads something from each server of a shard, except those that do not respond. Throws if none responds, or one rejects it. */
export const readServers = async <T>(
  writer: ClickHouseWriter,
  read: (server: ClickHouseWriter) => Promise<T>,
): Promise<readonly OfServer<T>[]> => {
  const servers = writersOfServers(writer);
  const results = await Promise.allSettled(servers.map(read));
  const failures = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as Error);
  const rejection = failures.find((error) => !isReplicaUnavailable(error));
  if (rejection) throw rejection;
  if (failures.length === servers.length) throw failures[0]!;
  return results.flatMap((result, index) => {
    if (result.status === 'rejected') return [];
    const place = servers.length > 1 ? ` at ${new URL(servers[index]!.server).host}` : '';
    return [{ place, value: result.value }];
  });
};
