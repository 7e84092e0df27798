import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import { type ClickHouseWriter, describeShard, isServerError, writersOfServers } from '@popsvc/platform/clickhouse';
import { hasShardViews, readRemoteShards } from '@popsvc/read-models/generations';
import type { DiagnosticsDependencies } from './dependencies.ts';
import { describeFailure } from './failures.ts';

/** The shards in `remote_servers` of a server, or the error of reading them. */
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

/** Compares the shards in `remote_servers` of a server that responds with those of CLICKHOUSE_URL. */
const compare = (remote: RemoteShards, expected: readonly string[]): readonly Finding[] => {
  const { listed, error } = remote;
  const subject = hostOf(remote);
  if (!listed) return [reportProblem('clickhouse-shards', 'unreadable', { subject, found: describeFailure(error) })];
  const isRight = listed.length === expected.length && expected.every((shard) => listed.includes(shard));
  const found = `its remote_servers lists ${listed.join(', ')}, and CLICKHOUSE_URL ${expected.join(', ')}`;
  return isRight ? [] : [reportProblem('clickhouse-shards', 'wrong-list', { subject, found })];
};

/**
 * Checks that operators and analysts read each shard once, through whichever server. The order of the shards in `remote_servers` does
 * not matter. While no server of a shard responds, the others cannot read it, so only the check of replicas reports the failure.
 */
export const checkRemoteShards = async ({
  shards,
}: Pick<DiagnosticsDependencies, 'shards'>): Promise<readonly Finding[]> => {
  const writers = shards.map(({ writer }) => writer);
  if (!writers.every(hasShardViews)) return [reportOk('clickhouse-shards', { found: 'there is one shard' })];
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
  return [reportOk('clickhouse-shards', { found: `${result}${away}` })];
};
