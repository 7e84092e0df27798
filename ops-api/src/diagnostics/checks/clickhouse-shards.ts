import { createCheck, failed, type Finding } from '@popsvc/contracts/diagnostics';
import { type ClickHouseWriter, describeShard, isServerError, writersOfServers } from '@popsvc/platform/clickhouse';
import { areAllShards, hasShardViews, readRemoteShards } from '@popsvc/read-models/generations';
import type { ServiceEvaluation } from '../dependencies.ts';
import { describeFailure } from '../failures.ts';

const check = createCheck('clickhouse-shards', 'Each ClickHouse server lists each shard once in remote_servers.', {
  'wrong-list': failed(
    (subject) =>
      `Correct the cluster CLICKHOUSE_CLUSTER in remote_servers of ${subject}: each shard of CLICKHOUSE_URL once, with its replicas, in any order. Until then, requests of operators that read all shards through this server respond 503, and queries of analysts on it lack rows or return them twice.`,
  ),
  unreadable: failed(
    (subject) =>
      `Requests of operators and queries of analysts that read all shards through ${subject} fail. If the check clickhouse-replica reports no problem, check the hosts, ports and the secret in its remote_servers.`,
  ),
});

interface RemoteShards {
  readonly server: ClickHouseWriter;
  readonly listed?: readonly string[];
  readonly error?: unknown;
}

const readRemoteShardsOf = async (server: ClickHouseWriter): Promise<RemoteShards> => {
  try {
    return { server, listed: await readRemoteShards(server) };
  } catch (error) {
    return { server, error };
  }
};

const hostOf = ({ server }: RemoteShards): string => new URL(server.server).host;

const doesRespond = ({ error }: RemoteShards): boolean => error === undefined || isServerError(error);

const compare = (remote: RemoteShards, expected: readonly string[]): readonly Finding[] => {
  const { listed, error } = remote;
  const subject = hostOf(remote);
  if (!listed) return [check.problem('unreadable', { subject, found: describeFailure(error) })];
  const found = `its remote_servers lists ${listed.join(', ')}, and CLICKHOUSE_URL ${expected.join(', ')}`;
  return areAllShards(listed, remote.server.shard) ? [] : [check.problem('wrong-list', { subject, found })];
};

/** While no server of a shard responds, no server can read that shard. The checks `clickhouse` and `clickhouse-replica` report this. */
export const clickHouseShards: ServiceEvaluation = {
  check,
  async evaluate({ shards }) {
    const writers = shards.map(({ writer }) => writer);
    if (!writers.every(hasShardViews)) return [check.ok({ found: 'there is one shard' })];
    const expected = writers.map(({ shard }) => describeShard(shard));
    const ofShards = await Promise.all(
      writers.map((writer) => Promise.all(writersOfServers(writer).map(readRemoteShardsOf))),
    );
    const all = ofShards.flat();
    const silent = all.filter((remote) => !doesRespond(remote)).map(hostOf);
    const isShardAway = ofShards.some((servers) => !servers.some(doesRespond));
    const isKnown = ({ error }: RemoteShards) => error === undefined || (!isShardAway && isServerError(error));
    const findings = all.filter(isKnown).flatMap((remote) => compare(remote, expected));
    if (findings.length > 0) return findings;
    const away = silent.length > 0 ? `; servers that do not respond: ${silent.join(', ')}` : '';
    const result = isShardAway
      ? 'not checked, because no server of a shard responds'
      : `the servers that respond read ${expected.join(', ')}`;
    return [check.ok({ found: `${result}${away}` })];
  },
};
