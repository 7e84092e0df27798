import { readGenerations, registerProjection } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { allProjections } from '@popsvc/projectors/projections';
import { openGenerations, pruneHistory, verifyGeneration } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { at, coffeeSystem } from './coffee.fixture.ts';

const coffeeProjection = allProjections.find(({ name }) => name === 'coffee')!;

const log = createLog('test', 'silent');

describe('rows of coffee that are computed again', () => {
  const coffee = coffeeSystem();
  const query = <Row>(sql: string) => coffee.system.writer.rows<Row>(sql);
  const newestVersion = async () =>
    (await query<{ version: string }>('SELECT toString(max(version)) AS version FROM coffee_g1'))[0]!.version;
  const formerRows = () =>
    query<{ event_id: string; pop_type: string; is_valid: number }>(
      `SELECT event_id, pop_type, valid_from < valid_to AS is_valid FROM coffee_history_g1 FINAL ORDER BY event_id`,
    );

  const losePart = async (table: string) => {
    const [part] = await query<{ name: string }>(
      `SELECT name FROM system.parts WHERE active AND database = currentDatabase() AND table = '${table}'`,
    );
    await coffee.system.writer.run(`ALTER TABLE ${table} DETACH PART '${part!.name}'`);
  };
  const wholeSinceMs = async () =>
    (
      await query<{ since_ms: number }>(
        `SELECT toFloat64(toUnixTimestamp64Milli(max(since))) AS since_ms FROM report_history_g1 WHERE kind = 'whole'`,
      )
    )[0]!.since_ms;

  it('stay as they are if nothing differs', async () => {
    await coffee.projectAfterEach(coffee.spots, coffee.person);
    const [before, former] = [await newestVersion(), await formerRows()];
    // A duplicate, and a heartbeat of the device at a time of plays with an audience.
    await coffee.projectAfterEach(
      () => coffee.system.play({ eventId: 'A', playedAt: at(0), durationMs: 10_000 }),
      () => coffee.system.heartbeat({ deviceId: 4, feederId: 5, at: at(12) }),
    );
    expect(await newestVersion()).to.equal(before);
    expect(await formerRows()).to.deep.equal(former);
  });

  it('are kept as former rows if they change or vanish', async () => {
    await coffee.projectAfterEach(coffee.spots);
    expect(await formerRows()).to.deep.equal([]);
    await coffee.projectAfterEach(coffee.person);
    const unmeasured = ['A', 'B', 'C', 'D'].map((event_id) => ({ event_id, pop_type: 'UNMEASURED', is_valid: 1 }));
    expect(await formerRows()).to.deep.equal(unmeasured);
    // The person moves away, and the rows without an audience return.
    await coffee.projectAfterEach(() =>
      coffee.person({ revision: 1, startedAt: at(600), endedAt: at(610), watches: [] }),
    );
    const seen = unmeasured.map((row) => ({ ...row, pop_type: 'VIEWER' }));
    expect(await formerRows()).to.have.deep.members([...unmeasured, ...seen]);
  });

  it('begin again if former rows were lost, and leave the report as it is', async () => {
    const { system } = coffee;
    const { postgres, writer } = system;
    await registerProjection(postgres, coffeeProjection.name, coffeeProjection.version);
    await coffee.projectAfterEach(coffee.spots, coffee.person);
    const report = await coffee.rows();
    await losePart('coffee_history_g1');
    const beganMs = Date.now();
    expect(
      await verifyGeneration({ writer, postgres, log }, { projection: coffeeProjection, generation: 1 }),
    ).to.deep.equal([]);
    expect(await wholeSinceMs()).to.be.within(beganMs, Date.now());
    await coffee.projectAfterEach(() => system.play({ eventId: 'E', playedAt: at(40), durationMs: 10_000 }));
    expect(await formerRows()).to.deep.equal([]);
    expect((await coffee.rows()).slice(0, report.length)).to.deep.equal(report);
  });

  it('are deleted from the former rows after some days', async () => {
    const count = async () =>
      (await query<{ rows: number }>('SELECT toUInt32(count()) AS rows FROM coffee_history_g1'))[0]!.rows;
    for (const days of [40, 30])
      await coffee.system.writer.run(`INSERT INTO coffee_history_g1 (network_id, ts, number, version, valid_to)
        SELECT 1, now(), number, ${days}, now() - INTERVAL ${days} DAY FROM numbers(10000)`);
    await pruneHistory(coffee.system.writer, [{ projection: coffeeProjection, generation: 1 }], 35);
    expect(await count()).to.equal(10_000);
  });

  it('begin later if an older release finds that former rows were lost, and only lost current rows need a replay', async () => {
    const { postgres, writer } = coffee.system;
    await registerProjection(postgres, coffeeProjection.name, coffeeProjection.version);
    await coffee.projectAfterEach(coffee.spots, coffee.person);
    const older = { ...coffeeProjection, version: coffeeProjection.version - 1 };
    const findDamage = async () => {
      await openGenerations({ postgres, writer, log }, [older]);
      const record = (await readGenerations(postgres)).find(({ projection }) => projection === coffeeProjection.name)!;
      return [record.damage.map(({ table }) => table), record.healing];
    };
    await losePart('coffee_history_g1');
    const beganMs = Date.now();
    expect(await findDamage()).to.deep.equal([[], []]);
    expect(await wholeSinceMs()).to.be.within(beganMs, Date.now());
    await losePart('coffee_g1');
    expect(await findDamage()).to.deep.equal([['coffee'], []]);
  });
});
