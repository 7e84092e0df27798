import { allProjections } from '@popsvc/projectors/projections';
import { createPopsvcCommand, type Popsvc } from '../rig/clients.ts';
import type { Ledger } from './ledger.ts';
import {
  assertCheckpointsOnlyGrew,
  assertNothingParked,
  assertTablesMatchLog,
  waitUntilCaughtUp,
} from './read-model-oracle.ts';
import type { RequestReport } from './readers.ts';
import type { SoakResult, SoakSystem } from './run-soak.ts';
import { startStores, type Stores, connectStores } from './stores.ts';
import { type SoakNetwork, soakNetworks } from './networks.ts';

/** A check of the oracle. `run` resolves with a summary, or throws an error that describes the defects. */
interface Check {
  readonly name: string;
  run(): Promise<string>;
}

const summarize = (ids: readonly string[]) => `${ids.length} (${ids.slice(0, 5).join(', ')})`;

const throwDefects = (defects: readonly string[]): void => {
  if (defects.length > 0) throw new Error(defects.join('; '));
};

const compareIds = (networkName: string, found: readonly string[], expected: ReadonlySet<string>): void => {
  const foundIds = new Set(found);
  const [missing, unexpected] = [
    [...expected].filter((id) => !foundIds.has(id)),
    found.filter((id) => !expected.has(id)),
  ];
  throwDefects([
    ...(missing.length > 0 ? [`${networkName}: ${summarize(missing)} of ${expected.size} are missing`] : []),
    ...(unexpected.length > 0 ? [`${networkName}: ${summarize(unexpected)} were never accepted`] : []),
  ]);
};

const hourMs = 3_600_000;

/**
 * Lists consecutive time windows, each small enough for its rows to fit into memory: one hour each in the 72 hours before the
 * run, and 5 minutes each from shortly before the start of the run onwards.
 */
const listWindows = (beganMs: number, nowMs: number): readonly (readonly [fromMs: number, toMs: number])[] => {
  const windows: (readonly [number, number])[] = [];
  for (let atMs = Math.floor(beganMs / hourMs - 72) * hourMs; atMs < nowMs + hourMs;) {
    const toMs = atMs + (atMs < beganMs - hourMs ? hourMs : hourMs / 12);
    windows.push([atMs, toMs]);
    atMs = toMs;
  }
  return windows;
};

const checkReports = (requestReport: RequestReport, ledger: Ledger, beganMs: number): Check => ({
  name: 'every accepted play is in the report, without duplicate rows',
  async run() {
    let rows = 0;
    const checkNetwork = async (network: SoakNetwork) => {
      const keys = new Set<string>();
      const ids = new Set<string>();
      let count = 0;
      for (const [fromMs, toMs] of listWindows(beganMs, Date.now())) {
        const window = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`;
        const { text } = await requestReport(network, `/coffee/download?${window}&format=ndjson`, 'key');
        for (const line of text.split('\n').filter(Boolean)) {
          const { EVENT_ID, WATCHERID } = JSON.parse(line) as { EVENT_ID: string; WATCHERID: number | null };
          keys.add(`${EVENT_ID} ${WATCHERID ?? ''}`);
          ids.add(EVENT_ID);
          count += 1;
        }
      }
      throwDefects(keys.size < count ? [`${network.name}: ${count - keys.size} duplicate rows`] : []);
      compareIds(network.name, [...ids], ledger.all(network).acknowledged);
      rows += count;
    };
    for (const network of soakNetworks) await checkNetwork(network);
    return `${rows} rows`;
  },
});

const checkTables = ({ writer }: Stores, ledger: Ledger): Check => ({
  name: 'requests with an Idempotency-Key are stored once, every play is counted once, and plays stay in their network',
  async run() {
    let receipts = 0;
    for (const network of soakNetworks) {
      const { id, mark, name } = network;
      const plays = await writer.rows<{ id: string }>(
        `SELECT DISTINCT event_id AS id FROM coffee_live WHERE network_id = ${id}`,
      );
      compareIds(
        name,
        plays.map((row) => row.id),
        ledger.all(network).acknowledged,
      );
      const [row] = await writer.rows<{ stored: number; unexpected: number; all: number }>(
        `SELECT toUInt32(countIf(startsWith(event_id, '${mark}k-'))) AS stored, toUInt32(count()) AS all,
           toUInt32(countIf(NOT startsWith(event_id, '${mark}'))) AS unexpected FROM plays_live WHERE network_id = ${id}`,
      );
      const expected = ledger.eventsStoredOnce(network);
      throwDefects([
        ...(row!.stored === expected ? [] : [`${name}: ${row!.stored} receipts of ${expected}`]),
        ...(row!.unexpected > 0 ? [`${name}: ${row!.unexpected} receipts of other networks`] : []),
      ]);
      receipts += row!.all;
    }
    return `${receipts} receipts`;
  },
});

const checkReplays = (popsvc: Popsvc): readonly Check[] =>
  allProjections.map(({ name }) => ({
    name: `a verified replay of ${name} equals the live generation`,
    async run() {
      const { code, stdout, stderr } = await popsvc('projections', 'replay', name, '--verify', '--json');
      if (code !== 0) throw new Error(stderr);
      const { verified, events, seconds } = JSON.parse(stdout) as {
        verified: boolean;
        events: number;
        seconds: number;
      };
      if (!verified) throw new Error(`the replay of ${name} was not verified: ${stdout}`);
      return `${events} events in ${seconds} s`;
    },
  }));

const checkDoctor = (popsvc: Popsvc): Check => ({
  name: 'doctor reports no problem',
  async run() {
    const { stdout, stderr } = await popsvc('doctor', '--json');
    const { findings } = JSON.parse(stdout || '{"findings":[]}') as {
      findings: { check: string; outcome: string; found: string }[];
    };
    if (findings.length === 0) throw new Error(stderr);
    // Ignores the check of free disk space, which depends on the machine.
    const problems = findings.filter(({ check, outcome }) => outcome !== 'ok' && check !== 'disk');
    throwDefects(problems.map(({ check, outcome, found }) => `${check} ${outcome}: ${found}`));
    return `${findings.length} checks`;
  },
});

/** Returns the checks of the running service. They require that all traffic has ended. */
const checksOfService = (
  stores: Stores,
  ledger: Ledger,
  requestReport: RequestReport,
  dataDir: string,
  { beganMs, killsOfClickHouse }: { readonly beganMs: number; readonly killsOfClickHouse: number },
): readonly Check[] => {
  const popsvc = createPopsvcCommand({ DATA_DIR: dataDir });
  return [
    checkReports(requestReport, ledger, beganMs),
    checkTables(stores, ledger),
    checkDoctor(popsvc),
    ...checkReplays(popsvc),
    { name: 'no event is parked', run: async () => assertNothingParked(stores).then(() => 'no event') },
    {
      name: 'checkpoints only moved forward, by the lease owner, or back at most once for each kill of ClickHouse',
      run: async () => `${(await assertCheckpointsOnlyGrew(stores, killsOfClickHouse)).split(', ').length} projections`,
    },
  ];
};

/** Returns the checks that read the stores directly. They require that the service has stopped. */
const checksOfStores = (stores: Stores): readonly Check[] => [
  {
    name: 'every live table equals a new build from the log',
    run: async () => `${await assertTablesMatchLog(stores, { wholeRows: false })} rows`,
  },
];

const catchUpTimeoutMs = 10 * 60_000;

/**
 * Runs all checks on a service that no longer receives traffic, and stops the service. Reports defects as failures; resolves with the
 * results by check.
 */
export const runOracle = async (
  { service }: SoakSystem,
  { ledger, requestReport, beganMs, faults }: SoakResult,
  addFailure: (text: string) => void,
  log: (text: string) => void,
): Promise<readonly (readonly [string, string])[]> => {
  const results: (readonly [string, string])[] = [];
  const runChecks = async (checks: readonly Check[]): Promise<void> => {
    for (const check of checks) {
      const found = await check.run().catch((error: unknown) => {
        addFailure(`${check.name}: ${error instanceof Error ? error.message : String(error)}`);
        return 'FAILED';
      });
      results.push([check.name, found]);
      log(`${check.name}: ${found}\n`);
    }
  };
  const { dataDir } = service;
  const killsOfClickHouse = faults.filter(({ what }) => what === 'clickhouse' || what === 'everything').length;
  const running = connectStores(dataDir, service.endpoints);
  const catchUp: Check = {
    name: 'all events of the log are projected',
    run: async () => `after ${((await waitUntilCaughtUp(running, catchUpTimeoutMs)) / 1_000).toFixed(1)} s`,
  };
  const stop: Check = {
    name: 'the service stops on SIGINT and has logged no secret',
    async run() {
      const code = await service.stop();
      if (code !== 0) throw new Error(`the service exited with code ${code}`);
      return `code ${code}`;
    },
  };
  await runChecks([
    catchUp,
    ...checksOfService(running, ledger, requestReport, dataDir, { beganMs, killsOfClickHouse }),
  ]);
  await running.close();
  await runChecks([stop]);
  const stores = await startStores(dataDir);
  await runChecks(checksOfStores(stores));
  await stores.close();
  return results;
};
