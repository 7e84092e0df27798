import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseWriter, describeShard, generationTable } from '@popsvc/platform/clickhouse';
import { type AnalystRecord, listAnalysts, type Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { analystGrants } from '@popsvc/read-models/analysts';

/** The ClickHouse login of the operator's own staff. It may read all networks and has no record in PostgreSQL. */
export const operatorAnalyst = 'analyst';

interface Grant {
  readonly user: string;
  readonly password_sha256: string;
  readonly every_network: number;
  readonly networks: readonly number[];
  readonly version: number;
}

export const grantsTable = generationTable(analystGrants, 1);

const wantedOf = ({ name, passwordSha256Hex, networkIds, revokedAt, version }: AnalystRecord): Grant => ({
  user: name,
  password_sha256: revokedAt === null ? passwordSha256Hex : '',
  every_network: revokedAt === null && networkIds === null ? 1 : 0,
  networks: revokedAt === null ? (networkIds ?? []) : [],
  version,
});

const isSame = (one: Grant, other: Grant): boolean =>
  one.password_sha256 === other.password_sha256 &&
  one.every_network === other.every_network &&
  one.networks.join() === other.networks.join();

/**
 * Copies the grants and logins from PostgreSQL to ClickHouse. Reads ClickHouse first, so that the rows that it writes are at least as new
 * as those that it replaces.
 */
export const syncGrants = async (writer: ClickHouseWriter, postgres: Postgres): Promise<void> => {
  const held = await writer.rows<Grant>(
    `SELECT user, password_sha256, every_network, arrayMap(n -> toFloat64(n), networks) AS networks, toFloat64(version) AS version FROM ${grantsTable} FINAL`,
  );
  const analysts = (await listAnalysts(postgres)).map(wantedOf);
  const known = [
    ...analysts,
    { user: operatorAnalyst, password_sha256: '', every_network: 1, networks: [], version: 1 },
  ];
  const gone = held
    .filter(({ user }) => !known.some((each) => each.user === user))
    .map(({ user, version }) => ({ user, password_sha256: '', every_network: 0, networks: [], version }));
  for (const wanted of [...known, ...gone]) {
    const before = held.find(({ user }) => user === wanted.user);
    if (before && isSame(before, wanted)) continue;
    await writer.run(
      `INSERT INTO ${grantsTable} (user, password_sha256, every_network, networks, version)
         SELECT {user:String}, {password:String}, {every:UInt8}, {networks:Array(UInt64)}, {version:UInt64}`,
      {
        params: {
          user: wanted.user,
          password: wanted.password_sha256,
          every: wanted.every_network,
          networks: wanted.networks,
          // A PostgreSQL restored from a backup may contain a lower version than ClickHouse.
          version: Math.max(wanted.version, (before?.version ?? 0) + 1),
        },
      },
    );
  }
};

export const logFailedSync = (log: Log, { shard }: ClickHouseWriter, err: unknown): void =>
  log.warn({ err, shard: describeShard(shard) }, 'failed to synchronize analyst grants');

const syncIntervalMs = 5_000;

/** Synchronizes grants every 5 s until `signal` aborts. Logs only the first of consecutive failures. */
export const runGrantSync = async (
  writer: ClickHouseWriter,
  postgres: Postgres,
  log: Log,
  signal: AbortSignal,
): Promise<void> => {
  let failing = false;
  while (!signal.aborted) {
    await syncGrants(writer, postgres).then(
      () => (failing = false),
      (err: unknown) => {
        if (!failing) logFailedSync(log, writer, err);
        failing = true;
      },
    );
    await sleep(syncIntervalMs, undefined, { signal }).catch(() => undefined);
  }
};
