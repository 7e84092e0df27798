import { rm } from 'node:fs/promises';
import { createRandom } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { chooseRoundRange, chooseSeed, openRoundResults } from '../support/rounds.ts';
import { type RoundResult, runDamageRounds, type Verdict } from './damage-rounds.fixture.ts';
import { openReadModelRounds, type ReadModelRounds } from './damaged-clickhouse.fixture.ts';
import { useDamagedLog } from './damaged-event-log.fixture.ts';
import { type Damage, damageOneFile, type FileKind } from './damaged-files.fixture.ts';
import { useDamagedDatabase } from './damaged-postgres.fixture.ts';
import { copyEngine } from './engine-processes.fixture.ts';
import { prepareEngines } from './prepared-engines.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const range = chooseRoundRange(3, 400);
const seed = chooseSeed(20_261_123);
const results = openRoundResults<RoundResult>('damaged-engines', seed);

/** The kinds of files of each engine. The rounds take the engines in turn. */
const engines = {
  'event-store': ['event log', 'event store, other'],
  postgres: ['PostgreSQL table', 'PostgreSQL catalog', 'PostgreSQL WAL', 'PostgreSQL control', 'PostgreSQL, other'],
  clickhouse: ['ClickHouse part', 'ClickHouse definition', 'ClickHouse, other'],
} as const satisfies Readonly<Record<string, readonly FileKind[]>>;
type Engine = keyof typeof engines;
const engineNames = Object.keys(engines) as Engine[];

describe(`an engine whose folder has one damaged file (rounds ${range.first} to ${range.last}, seed ${seed})`, function () {
  this.timeout(isLong ? 12 * 3_600_000 : 180_000);

  /** Prepares the engines, and returns a function that uses a damaged copy of one of them. */
  const prepare = async () => {
    const prepared = await prepareEngines();
    const { dataDir: source, content } = prepared;
    readModels = await openReadModelRounds(prepared);
    const use: Readonly<Record<Engine, (dataDir: string, damage: Damage) => Promise<Verdict>>> = {
      'event-store': (dataDir, damage) => useDamagedLog(dataDir, damage, content.log),
      postgres: (dataDir, damage) => useDamagedDatabase(dataDir, damage, content.tables),
      clickhouse: (dataDir, damage) => readModels!.useDamaged(dataDir, damage),
    };
    return async (round: number): Promise<Damage & Verdict> => {
      const engine = engineNames[(round - 1) % engineNames.length]!;
      const dataDir = await copyEngine(source, engine);
      const damage = damageOneFile(dataDir, createRandom(seed, 'damaged engines', round), engines[engine]);
      const verdict = await use[engine](dataDir, damage);
      await rm(dataDir, { recursive: true, force: true });
      return { ...damage, ...verdict };
    };
  };
  let readModels: ReadModelRounds | undefined;
  after(() => readModels?.stop());

  it('refuses it and names the file, reports the damage, or has the same content', async () => {
    let runRound: ReturnType<typeof prepare> | undefined;
    const wrong = await runDamageRounds(range, results, async (round) => (await (runRound ??= prepare()))(round));
    expect(wrong).to.deep.equal([]);
  });
});
