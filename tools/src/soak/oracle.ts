import { allProjections } from '@popsvc/projectors/projections';
import { checkpointsOnlyGrew, isWhatTheLogSays, nothingIsParked } from './read-model-oracle.ts';
import { type Popsvc, popsvcWith } from '../rig/popsvc-command.ts';
import type { AskReports } from './ask-reports.ts';
import type { Ledger } from './ledger.ts';
import type { Stores } from './stores.ts';
import { networks, type SoakNetwork } from './world.ts';

/** One question of the oracle: resolves with what to tell of it, throws what is wrong. */
export interface Question {
  readonly name: string;
  ask(): Promise<string>;
}

const few = (ids: readonly string[]) => `${ids.length} (${ids.slice(0, 5).join(', ')})`;

const refuse = (wrong: readonly string[]): void => {
  if (wrong.length > 0) throw new Error(wrong.join('; '));
};

const idsAre = (whose: string, found: readonly string[], wanted: ReadonlySet<string>): void => {
  const there = new Set(found);
  const [missing, strange] = [[...wanted].filter((id) => !there.has(id)), found.filter((id) => !wanted.has(id))];
  refuse([
    ...(missing.length > 0 ? [`${whose}: ${few(missing)} of ${wanted.size} are missing`] : []),
    ...(strange.length > 0 ? [`${whose}: ${few(strange)} were never accepted`] : []),
  ]);
};

const hourMs = 3_600_000;

/** The past in hours, and the time of the soak in pieces that fit into memory. */
const windowsSince = (beganMs: number, nowMs: number): readonly (readonly [fromMs: number, toMs: number])[] => {
  const windows: (readonly [number, number])[] = [];
  for (let atMs = Math.floor(beganMs / hourMs - 72) * hourMs; atMs < nowMs + hourMs;) {
    const toMs = atMs + (atMs < beganMs - hourMs ? hourMs : hourMs / 12);
    windows.push([atMs, toMs]);
    atMs = toMs;
  }
  return windows;
};

const onTheWire = (ask: AskReports, ledger: Ledger, beganMs: number): Question => ({
  name: 'each play that was accepted is in the report, and no row twice',
  async ask() {
    let rows = 0;
    const whole = async (network: SoakNetwork) => {
      const keys = new Set<string>();
      const ids = new Set<string>();
      let count = 0;
      for (const [fromMs, toMs] of windowsSince(beganMs, Date.now())) {
        const window = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`;
        const { text } = await ask(network, `/coffee/download?${window}&format=ndjson`, 'key');
        for (const line of text.split('\n').filter(Boolean)) {
          const { EVENT_ID, WATCHERID } = JSON.parse(line) as { EVENT_ID: string; WATCHERID: number | null };
          keys.add(`${EVENT_ID} ${WATCHERID ?? ''}`);
          ids.add(EVENT_ID);
          count += 1;
        }
      }
      refuse(keys.size < count ? [`${network.name}: ${count - keys.size} rows twice`] : []);
      idsAre(network.name, [...ids], ledger.all(network).acknowledged);
      rows += count;
    };
    for (const network of networks) await whole(network);
    return `${rows} rows`;
  },
});

const inTables = ({ writer }: Stores, ledger: Ledger): Question => ({
  name: 'what is sent under an Idempotency-Key is stored once, everything is counted once, and stays in its network',
  async ask() {
    let receipts = 0;
    for (const network of networks) {
      const { id, mark, name } = network;
      const told = await writer.rows<{ id: string }>(
        `SELECT DISTINCT event_id AS id FROM coffee_live WHERE network_id = ${id}`,
      );
      idsAre(
        name,
        told.map((row) => row.id),
        ledger.all(network).acknowledged,
      );
      const [row] = await writer.rows<{ stored: number; strange: number; all: number }>(
        `SELECT toUInt32(countIf(startsWith(event_id, '${mark}k-'))) AS stored, toUInt32(count()) AS all,
           toUInt32(countIf(NOT startsWith(event_id, '${mark}'))) AS strange FROM plays_live WHERE network_id = ${id}`,
      );
      const wanted = ledger.eventsStoredOnce(network);
      refuse([
        ...(row!.stored === wanted ? [] : [`${name}: ${row!.stored} receipts of ${wanted}`]),
        ...(row!.strange > 0 ? [`${name}: ${row!.strange} receipts of others`] : []),
      ]);
      receipts += row!.all;
    }
    return `${receipts} receipts`;
  },
});

const replays = (popsvc: Popsvc): readonly Question[] =>
  allProjections.map(({ name }) => ({
    name: `a replay of ${name} with --verify finds what is live`,
    async ask() {
      const { code, stdout, stderr } = await popsvc('projections', 'replay', name, '--verify', '--json');
      if (code !== 0) throw new Error(stderr);
      const { verified, events, seconds } = JSON.parse(stdout) as {
        verified: boolean;
        events: number;
        seconds: number;
      };
      if (!verified) throw new Error(`not verified: ${stdout}`);
      return `${events} events in ${seconds} s`;
    },
  }));

const doctor = (popsvc: Popsvc): Question => ({
  name: 'doctor finds nothing',
  async ask() {
    const { stdout, stderr } = await popsvc('doctor', '--json');
    const { findings } = JSON.parse(stdout || '{"findings":[]}') as {
      findings: { check: string; outcome: string; found: string }[];
    };
    if (findings.length === 0) throw new Error(stderr);
    // How much room there is is the machine's.
    const wrong = findings.filter(({ check, outcome }) => outcome !== 'ok' && check !== 'disk');
    refuse(wrong.map(({ check, outcome, found }) => `${check} ${outcome}: ${found}`));
    return `${findings.length} checks`;
  },
});

/** What is asked of the service while it runs, and nobody sends any more. */
export const questionsToService = (
  stores: Stores,
  ledger: Ledger,
  ask: AskReports,
  dataDir: string,
  { beganMs, killsOfClickHouse }: { readonly beganMs: number; readonly killsOfClickHouse: number },
): readonly Question[] => {
  const popsvc = popsvcWith({ DATA_DIR: dataDir });
  return [
    onTheWire(ask, ledger, beganMs),
    inTables(stores, ledger),
    doctor(popsvc),
    ...replays(popsvc),
    { name: 'nothing was set aside', ask: async () => nothingIsParked(stores).then(() => 'no event') },
    {
      name: 'checkpoints only grew, by who held the lease; they went back at most once for each kill of ClickHouse',
      ask: async () => `${(await checkpointsOnlyGrew(stores, killsOfClickHouse)).split(', ').length} of them`,
    },
  ];
};

/** What is asked of the stores alone. */
export const questionsToStores = (stores: Stores): readonly Question[] => [
  {
    name: 'every live table is what a build of our own makes of the log',
    ask: async () => `${await isWhatTheLogSays(stores, { wholeRows: false })} rows`,
  },
];
