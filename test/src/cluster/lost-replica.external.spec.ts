import { type ClickHouseWriter, generationTable } from '@popsvc/platform/clickhouse';
import { coffee } from '@popsvc/read-models/tables';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { startClickHouseProxy } from './clickhouse-proxy.fixture.ts';
import { type ClusterService, startClusterService } from './cluster-service.fixture.ts';
import {
  addressesOfReplicas,
  killServer,
  mayWipeServers,
  readReplicaName,
  removeFromKeeper,
  startServer,
  wipeServer,
} from './named-cluster.fixture.ts';

const table = generationTable(coffee, 1);

const countRows = async (replica: ClickHouseWriter) => {
  const [row] = await replica.rows<{ n: number }>(
    `SELECT toFloat64(count()) AS n FROM ${table} SETTINGS select_sequential_consistency = 0`,
  );
  return row!.n;
};

/**
 * While plays are sent, the replicas fetch no rows of coffee, so only the replica that inserted rows has them. It is killed, and its data
 * is removed.
 */
describe('the loss of the only replica that has the newest rows', function () {
  this.timeout(900_000);
  let running: ClusterService;
  const cleanUps: (() => Promise<void>)[] = [];
  const start = async (addresses: readonly string[]) => {
    const started = await startClusterService({ listed: addresses.join(',') });
    cleanUps.push(() => started.end());
    running = started;
    for (const replica of running.cluster.replicas) await replica.run(`SYSTEM STOP FETCHES ${table}`);
  };
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  /** Kills the replica that has rows of coffee, and removes its data. Requires that no other replica has any. Returns the others. */
  const loseReplica = async (): Promise<readonly ClickHouseWriter[]> => {
    const { replicas } = running.cluster;
    const counts = await waitUntil(
      () => Promise.all(replicas.map(countRows)),
      (rows) => rows.some((count) => count > 0),
    );
    expect(counts.filter((count) => count > 0)).to.have.lengthOf(1);
    const lost = replicas[counts.findIndex((count) => count > 0)]!;
    const others = replicas.filter((replica) => replica !== lost);
    const [node, name] = [String(replicas.indexOf(lost) + 1), await readReplicaName(lost)];
    cleanUps.push(async () => {
      await startServer(node);
      await removeFromKeeper(name, others[0]!);
    });
    await killServer(node);
    await wipeServer(node);
    return others;
  };
  /** Sends plays. Returns how many of them the reports lack when everything is projected. */
  const countMissingPlays = async (onSent?: () => Promise<void>): Promise<number> => {
    const { sent, verified } = await running.simulate(7, { devices: 4, ...(onSent && { onSent }) });
    const sum = (reports: readonly Readonly<Record<string, unknown>>[], name: string) =>
      reports.reduce((total, report) => total + Number(report[name]), 0);
    const missing = sum(verified, 'missing');
    process.stdout.write(`      ${missing} of ${sum(sent, 'plays')} plays missing\n`);
    return missing;
  };

  (mayWipeServers ? it : it.skip)(
    'loses no play: rows count as projected when a quorum of the replicas has them',
    async () => {
      await start(addressesOfReplicas);
      const missing = await countMissingPlays(async () => {
        for (const other of await loseReplica()) await other.run(`SYSTEM START FETCHES ${table}`);
      });
      expect(missing).to.equal(0);
    },
  );

  (mayWipeServers ? it : it.skip)(
    'lets reports lack plays without an error if inserts into coffee wait for no quorum (control)',
    async () => {
      let losing: Promise<unknown> | undefined;
      const proxies = addressesOfReplicas.map((address) =>
        startClickHouseProxy(address, async ({ text, client, settings }) => {
          if (text.startsWith(`INSERT INTO ${table} `)) settings.set('insert_quorum', '0');
          // A report is read when everything counts as projected.
          if (client === 'popsvc-query-api' && text.includes(`FROM ${table} `)) await (losing ??= loseReplica());
        }),
      );
      await start(await Promise.all(proxies));
      expect(await countMissingPlays()).to.be.greaterThan(0);
    },
  );
});
