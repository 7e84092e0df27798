import { execFile } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Finding } from '@popsvc/contracts/diagnostics';
import { type ClickHouseWriter, generationTable } from '@popsvc/platform/clickhouse';
import { coffee, plays, receipts, watcherSummary } from '@popsvc/read-models/tables';
import { type Fingerprint, fingerprintSql } from '@popsvc/projectors/engine/replay';
import { createPopsvcCommand, type Popsvc, type Service, startService, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { killServer, type NamedCluster, openNamedCluster, startServer } from './named-cluster.fixture.ts';

const simulator = fileURLToPath(new URL('../../../tools/dist/simulator/main.js', import.meta.url));

/** Creates a client with a network, and returns an access token of it. */
const createPartnerToken = async (service: Service, network: number): Promise<string> => {
  const popsvc = createPopsvcCommand({ DATA_DIR: service.dataDir });
  const { stdout } = await popsvc('clients', 'create', '--name', 'partner', '--networks', String(network), '--json');
  const { client_id, client_secret } = JSON.parse(stdout) as { client_id: string; client_secret: string };
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(service.credentials.token_url, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
};

/** File to which the log of the service is written; see test/cluster.mjs. */
const { CLUSTER_LOG: logFile } = process.env;

/** How long a killed server stays away, and how long all are there in between, in ms. */
const [awayMs, pauseMs] = [8_000, 6_000];

/** How long a replica may take to become ready after its start, in ms. */
const recoveryMs = 120_000;

/** What the simulator sent, and how the reports differ from it, for each network. */
interface SimulationResult {
  readonly sent: readonly Readonly<Record<string, number>>[];
  readonly verified: readonly Readonly<Record<string, unknown>>[];
}

interface SimulationOptions {
  /** Default: 12. */
  readonly devices?: number;
  /** Their ids begin at 100. Default: 2. */
  readonly networks?: number;
  /** Called when all events are sent, unless they are all projected then. */
  readonly onSent?: () => Promise<void>;
}

/** The service on the cluster that the environment names. */
export interface ClusterService {
  readonly cluster: NamedCluster;
  readonly service: Service;
  readonly popsvc: Popsvc;
  /** Lines that the service logged, newest last. */
  readonly logged: readonly string[];
  /** Sends the plays of 29 March 2026 of some devices, and compares the reports with them. Each seed sends other plays. */
  simulate(seed: number, options?: SimulationOptions): Promise<SimulationResult>;
  /** Like `simulate`. Requires that every play is in coffee once. Returns their number. */
  sendTraffic(seed: number, options?: SimulationOptions): Promise<number>;
  /** Requests a report as a partner with the first network of `sendTraffic`, which must be registered. `path`: after `/api/v1`. */
  readReport(path: string): Promise<Response>;
  /** Findings of `popsvc doctor` about replicas, except those without a problem. */
  readReplicaProblems(): Promise<readonly Finding[]>;
  /** Waits until `popsvc doctor` reports no problem of a replica, and no other check fails. */
  expectAllHealthy(): Promise<void>;
  /** Requires equal rows of the largest tables on replicas; default all. `generation`: of coffee. */
  expectEqualReplicas(generation: number, replicas?: readonly ClickHouseWriter[]): Promise<void>;
  /** Kills servers in turn, each for some seconds, and calls `work` again and again until all were killed and started. */
  killInTurn(nodes: readonly string[], work: () => Promise<unknown>): Promise<void>;
  /** Requires that no replay was requested, by the service or by an operator. */
  expectNoReplay(): Promise<void>;
  /** Stops the service and drops its databases. */
  end(): Promise<void>;
}

interface ClusterServiceOptions {
  /** Default: CLICKHOUSE_URL of the environment. */
  readonly listed?: string;
  /** A service that was stopped, and that continues with other replicas. */
  readonly before?: ClusterService;
}

export const startClusterService = async ({ listed, before }: ClusterServiceOptions = {}): Promise<ClusterService> => {
  const cluster = openNamedCluster(listed, before?.cluster.replicas[0]!.database);
  const logged: string[] = [];
  const onLog = (line: string) => {
    logged.push(line);
    if (logFile !== undefined) appendFileSync(logFile, `${line}\n`);
  };
  const service = await startService({
    env: cluster.env,
    onLog,
    ...(before && { dataDir: before.service.dataDir }),
  });
  const popsvc = createPopsvcCommand({ DATA_DIR: service.dataDir });

  const readFindings = async () => {
    const { stdout, stderr } = await popsvc('doctor', '--json');
    if (stdout === '') throw new Error(`doctor printed no findings: ${stderr}`);
    return (JSON.parse(stdout) as { findings: readonly Finding[] }).findings;
  };
  /** Damaged parts stay detached until an operator removes them. */
  const isReplicaProblem = ({ check, outcome, problem }: Finding) =>
    ['clickhouse-replica', 'clickhouse-shards'].includes(check) && outcome !== 'ok' && problem !== 'broken-parts';

  /** Rows and hashes of the largest tables of a generation, by network and day. */
  const readFingerprints = (generation: number, replica: ClickHouseWriter) =>
    Promise.all(
      [coffee, plays, receipts, watcherSummary].map(async (table) => {
        const name = generationTable(table, table === watcherSummary ? 1 : generation);
        const days = await replica.rows<Fingerprint>(fingerprintSql(table, name));
        return { table: table.name, days: days.map((day) => JSON.stringify(day)).sort() };
      }),
    );

  const simulate = async (seed: number, { devices = 12, networks = 2, onSent }: SimulationOptions = {}) => {
    const args =
      `--networks ${networks} --devices ${devices} --days 1 --until 2026-03-30 --seed ${seed} --rate 1500 --verify --json`.split(
        ' ',
      );
    const running = promisify(execFile)(process.execPath, [simulator, ...args], {
      env: { ...process.env, DATA_DIR: service.dataDir },
    });
    let sent: Promise<void> | undefined;
    running.child.stderr!.on('data', (text: string) => {
      if (sent !== undefined || !text.includes('Waiting until reports')) return;
      sent = onSent?.();
      sent?.catch(() => running.child.kill());
    });
    // The simulator prints its result and ends with code 1 if the reports differ.
    const { stdout } = await running.catch(async (error: unknown) => {
      await sent;
      const ended = error as { readonly stdout: string };
      if (ended.stdout === '') throw error;
      return ended;
    });
    await sent;
    return JSON.parse(stdout) as SimulationResult;
  };

  let partnerToken: Promise<string> | undefined;

  return {
    cluster,
    service,
    popsvc,
    logged,
    simulate,
    async sendTraffic(seed, options) {
      const { sent, verified } = await simulate(seed, options);
      for (const [index, report] of verified.entries())
        expect(report).to.include({
          found: sent[index]!['plays'],
          missing: 0,
          unexpected: 0,
          repeated: 0,
          bad_flags: 0,
          ok: true,
        });
      return sent.reduce((sum, { plays: count = 0 }) => sum + count, 0);
    },
    async readReport(path) {
      partnerToken ??= createPartnerToken(service, 100);
      const headers = { authorization: `Bearer ${await partnerToken}` };
      return fetch(`${service.endpoints.query_base_url}/api/v1${path}`, { headers });
    },
    readReplicaProblems: async () => (await readFindings()).filter(isReplicaProblem),
    async expectAllHealthy() {
      // Runs on a replica that was restarted end and begin again, and are reported as failing meanwhile.
      const isProblem = (finding: Finding) => isReplicaProblem(finding) || finding.outcome === 'failed';
      await waitUntil(
        async () => (await readFindings()).filter(isProblem),
        (found) => found.length === 0,
        recoveryMs,
      );
    },
    async expectEqualReplicas(generation, replicas = cluster.replicas) {
      // A replica refuses the query while it fetches a part that the quorum of the others has.
      const [first, ...others] = (await waitUntil(
        () => Promise.all(replicas.map((replica) => readFingerprints(generation, replica))).catch(() => undefined),
        (found) => found !== undefined,
        recoveryMs,
      ))!;
      for (const { table, days } of first!) expect(days, table).not.to.be.empty;
      for (const other of others) expect(other).to.deep.equal(first);
    },
    async killInTurn(nodes, work) {
      const state = { isOver: false };
      const killAll = async () => {
        for (const node of nodes) {
          await sleep(pauseMs);
          if (state.isOver) return;
          await killServer(node);
          await sleep(awayMs);
          await startServer(node);
        }
      };
      const killing = killAll().finally(() => (state.isOver = true));
      killing.catch(() => undefined);
      try {
        while (!state.isOver) await work();
      } finally {
        state.isOver = true;
        await killing;
      }
    },
    async expectNoReplay() {
      const { endpoints, credentials } = service;
      const response = await fetch(`${endpoints.ops_base_url}/ops/v1/replays`, {
        headers: { authorization: `Bearer ${credentials.operator_token}` },
      });
      expect(await response.json()).to.deep.equal({ replays: [] });
    },
    async end() {
      await service.stop();
      await cluster.drop();
    },
  };
};
