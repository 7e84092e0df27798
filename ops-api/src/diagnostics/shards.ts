import type { Finding } from '@popsvc/contracts/diagnostics';
import type { Shard } from '@popsvc/domain/partitioning';
import {
  type ClickHouseWriter,
  describeShard,
  isReplicaUnavailable,
  writersOfServers,
} from '@popsvc/platform/clickhouse';

/** For example, `clickhouse of shard 1 of 2`. */
export const addShardToName = (name: string, shard: Shard): string =>
  shard.of === 1 ? name : `${name} of ${describeShard(shard)}`;

export const addShardToSubject = (finding: Finding, shard: Shard): Finding =>
  shard.of === 1
    ? finding
    : {
        ...finding,
        subject: finding.subject === null ? `of ${describeShard(shard)}` : addShardToName(finding.subject, shard),
      };

interface OfServer<T> {
  /** ` at HOST` if the shard has several servers, otherwise empty. */
  readonly place: string;
  readonly value: T;
}

/** Omits servers that do not respond. Throws if none responds, or if a server rejects the request. */
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
