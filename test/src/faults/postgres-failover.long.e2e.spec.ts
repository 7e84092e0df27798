import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CheckpointStore,
  createCheckpointStore,
  createLeaseStore,
  isPostgresUnavailable,
  type LeaseKey,
  migrate,
  openPostgres,
  type Postgres,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { createRandom, median, type Random, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { type PostgresPair, startPostgresPair } from '../postgres/postgres-pair.fixture.ts';
import { chooseRounds, chooseSeed } from '../support/rounds.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const rounds = chooseRounds(2, 40);
const seed = chooseSeed(20_261_130);
const log = createLog('test', 'silent');
/** More clients than keys, so that they compete for leases. */
const [clientCount, keyCount] = [6, 4];
const leaseMs = 1_500;

/** What PostgreSQL has confirmed for a key, at most. */
interface Confirmed {
  readonly epoch: bigint;
  readonly begun: bigint;
  readonly position: bigint;
}

/** Keeps what PostgreSQL has confirmed to any client. */
const createLedger = () => {
  const confirmed = new Map<string, Confirmed>();
  const read = ({ projection }: LeaseKey): Confirmed =>
    confirmed.get(projection) ?? { epoch: 0n, begun: 0n, position: 0n };
  let count = 0;
  return {
    read,
    confirm(key: LeaseKey, change: Partial<Confirmed>) {
      confirmed.set(key.projection, { ...read(key), ...change });
      count += 1;
    },
    count: () => count,
    /** Returns what PostgreSQL has lost of what it confirmed, by key. */
    async findLost(postgres: Postgres): Promise<readonly string[]> {
      const { rows } = await postgres.query<{ projection: string; epoch: string; begun: string; position: string }>(
        `SELECT projection, l.epoch, coalesce(c.begun, 0) AS begun, coalesce(c.position, 0) AS position
         FROM leases l LEFT JOIN checkpoints c USING (projection, generation)`,
      );
      const stored = new Map(rows.map((row) => [row.projection, row]));
      return [...confirmed].flatMap(([projection, values]) =>
        (['epoch', 'begun', 'position'] as const).flatMap((name) => {
          const found = BigInt(stored.get(projection)?.[name] ?? 0);
          return found < values[name]
            ? [`${name} of ${projection} is ${found}, and ${values[name]} was confirmed`]
            : [];
        }),
      );
    },
  };
};
type Ledger = ReturnType<typeof createLedger>;

const describeMs = (values: readonly number[]): string =>
  `median ${Math.round(median(values))} ms, longest ${Math.round(Math.max(...values))} ms`;

interface Holder {
  readonly key: LeaseKey;
  readonly epoch: bigint;
  readonly ledger: Ledger;
}

/** Begins a batch and moves the checkpoint to its end. Returns false if the lease was lost. */
const projectBatch = async (checkpoints: CheckpointStore, { key, epoch, ledger }: Holder, size: number) => {
  const { position, begun } = await checkpoints.read(key);
  const to = begun > position ? begun : position + BigInt(size);
  const move = { ...key, epoch, previous: position, to, logId: 'log' };
  if ((await checkpoints.beginBatch(move)) !== 'begun') return false;
  ledger.confirm(key, { begun: to });
  if (!(await checkpoints.advance({ ...move, parked: [] }))) return false;
  ledger.confirm(key, { position: to });
  return true;
};

/** Runs a client like a process of projectors: it acquires a lease, projects some batches, and releases the lease. */
const runClient = async (url: string, name: string, ledger: Ledger, random: Random, signal: AbortSignal) => {
  const postgres = openPostgres({ url, log, name });
  const [leases, checkpoints] = [createLeaseStore(postgres), createCheckpointStore(postgres)];
  const wrong: string[] = [];
  const work = async (key: LeaseKey) => {
    const before = ledger.read(key);
    const epoch = await leases.acquire(key, name, leaseMs);
    if (epoch === undefined) {
      await sleep(random.below(30));
      return;
    }
    if (epoch <= before.epoch) wrong.push(`${key.projection}: epoch ${epoch} follows epoch ${before.epoch}`);
    ledger.confirm(key, { epoch });
    const { begun, position } = await checkpoints.read(key);
    if (begun < before.begun) wrong.push(`${key.projection}: a batch ends at ${begun}, after one to ${before.begun}`);
    if (position < before.position) wrong.push(`${key.projection}: went from ${before.position} back to ${position}`);
    for (let batch = 1 + random.below(8); batch > 0; batch -= 1)
      if (!(await projectBatch(checkpoints, { key, epoch, ledger }, 1 + random.below(100)))) return;
    await leases.release(key, epoch);
  };
  while (!signal.aborted)
    try {
      await work({ projection: `p${random.below(keyCount)}`, generation: 1 });
    } catch (error) {
      if (!isPostgresUnavailable(error)) wrong.push(String(error));
      await sleep(50);
    }
  await postgres.end();
  return wrong;
};

const runClients = (url: string, ledger: Ledger) => {
  const stop = new AbortController();
  const running = Array.from({ length: clientCount }, (_, index) =>
    runClient(url, `client ${index}`, ledger, createRandom(seed + index), stop.signal),
  );
  return {
    /** Waits for the clients. Returns what was wrong. */
    async stop(): Promise<readonly string[]> {
      stop.abort();
      return (await Promise.all(running)).flat();
    },
  };
};

describe(`a fail-over of PostgreSQL (${rounds} rounds, seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 180_000);
  let pair: PostgresPair;
  let postgres: Postgres;
  before(async () => {
    pair = await startPostgresPair();
    postgres = openPostgres({ url: pair.url, log, name: 'test' });
    await migrate(postgres);
    await pair.configure('synchronous_standby_names', '*');
    await pair.addStandby('standby');
  });
  after(() => postgres.end());

  /** The first reads after a fail-over may use a connection to the former primary. */
  const findLost = (ledger: Ledger) =>
    waitUntil(
      () => ledger.findLost(postgres).catch(() => undefined),
      (lost) => lost !== undefined,
    );

  it('keeps every confirmed epoch and checkpoint of a synchronous standby', async () => {
    const random = createRandom(seed);
    const ledger = createLedger();
    const clients = runClients(pair.url, ledger);
    /** Times from the kill until clients receive confirmations again, with broken and with silent connections. */
    const pausesMs = { broken: [] as number[], silent: [] as number[] };
    const waitForMore = async (more: number) => {
      const target = ledger.count() + more;
      await waitUntil(
        () => Promise.resolve(ledger.count()),
        (count) => count >= target,
        60_000,
      );
    };
    for (let round = 1; round <= rounds; round += 1) {
      // The standby confirms late, so the primary has commits that the standby lacks.
      pair.replication.disturb({ there: { delayMs: random.below(15) }, back: { delayMs: random.below(15) } });
      await waitForMore(100 + random.below(200));
      // If the machine is lost, open connections get neither an error nor an answer.
      const connections = round % 2 === 0 ? 'silent' : 'broken';
      if (connections === 'silent') pair.clients.forget();
      const killedMs = performance.now();
      await pair.killPrimary();
      await pair.promote();
      expect(await findLost(ledger), `round ${round}`).to.deep.equal([]);
      // Until the new primary has a standby, it confirms nothing.
      await pair.addStandby(`standby${round}`);
      await waitForMore(1);
      pausesMs[connections].push(performance.now() - killedMs);
      await waitForMore(50);
    }
    expect(await clients.stop()).to.deep.equal([]);
    expect(await findLost(ledger)).to.deep.equal([]);
    process.stdout.write(
      `      ${rounds} fail-overs, ${ledger.count()} confirmed epochs and checkpoints, ` +
        `${Object.entries(pausesMs)
          .map(([kind, values]) => `pauses with ${kind} connections: ${describeMs(values)}`)
          .join('; ')}\n`,
    );
  });

  const key: LeaseKey = { projection: 'alone', generation: 1 };
  /** Acquires the lease and projects batches without a standby. */
  const workAlone = async (ledger: Ledger) => {
    const epoch = await createLeaseStore(postgres).acquire(key, 'test', 60_000);
    ledger.confirm(key, { epoch: epoch! });
    for (let batch = 0; batch < 5; batch += 1)
      await projectBatch(createCheckpointStore(postgres), { key, epoch: epoch!, ledger }, 10);
  };

  it('confirms nothing while no standby is connected', async () => {
    const ledger = createLedger();
    await workAlone(ledger);
    const { epoch } = ledger.read(key);
    pair.replication.away();
    const error = await workAlone(ledger).catch((failure: unknown) => failure);
    expect(isPostgresUnavailable(error), String(error)).to.equal(true);
    expect(ledger.read(key).epoch).to.equal(epoch);
    pair.replication.heal();
    await workAlone(ledger);
    expect(ledger.read(key).epoch > epoch).to.equal(true);
  });

  it('loses confirmed epochs and checkpoints of an asynchronous standby, which the same comparison finds', async () => {
    await pair.configure('synchronous_standby_names', '');
    pair.replication.away();
    const ledger = createLedger();
    await workAlone(ledger);
    await pair.killPrimary();
    await pair.promote();
    const lost = await findLost(ledger);
    expect(lost).to.have.length(3);
    expect(lost?.[0]).to.match(/^epoch of alone is \d+, and \d+ was confirmed$/);
  });
});
