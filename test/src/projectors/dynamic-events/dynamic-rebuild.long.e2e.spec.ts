import { intakeStream, mappingStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { expect } from 'chai';
import fc from 'fast-check';
import { build, runUntilKilled } from '../replay/building.fixture.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { flatFields } from './dynamic.fixture.ts';
import { type DynamicStep, dynamicSteps, type Sent } from './dynamic-scenario.ts';
import { expectedNetwork } from './expected-balance.ts';
import { rebuildGeneration, readTables } from '../rebuild.fixture.ts';
import { chooseSeed } from '../../support/rounds.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const count = isLong ? 60 : 5;
const seed = chooseSeed(20_261_121);
const sizes = isLong ? [10_000, 7, 1] : [10_000, 8];
const buildSizes = isLong ? [7, 60] : [25];

const contentOf = ({ startMs, screen }: Sent) => ({
  screenId: screen,
  playedAt: instantOf(startMs),
  durationMs: 10_000,
});
const eventOf = ({ id, screen, startMs, isLocal, field, seconds }: Sent) => ({
  id,
  screen,
  start: isLocal ? instantOf(startMs).slice(0, 19) : instantOf(startMs),
  [field]: seconds,
});

/** Random networks, appended in random order and portions, give the rows of a simple model and of any rebuild. */
describe(`quarantined events against a model and a rebuild (${count} networks, seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 180_000);
  const scenarios = fc.sample(fc.array(dynamicSteps, { minLength: count, maxLength: count }), { seed, numRuns: 1 })[0]!;
  let service: TestSystem;
  let devices = 0;

  const appendStep = async (network: number, step: DynamicStep, mappings: number) => {
    const vendor = `v${network}`;
    const from = (receivedMs: number) => ({ network, vendor, receivedAt: instantOf(receivedMs) });
    if (step.kind === 'play')
      await service.play({ eventId: step.play.id, ...contentOf(step.play) }, from(step.play.receivedMs));
    if (step.kind === 'send') {
      // All events of a request have the same receipt time.
      const receivedMs = step.events[0]!.receivedMs;
      await service.appendAll(
        intakeStream('dynamicPop', network, vendor, 0),
        [{ type: 'DynamicPlaysRecorded', data: { schemaVersion: '1', items: step.events.map(eventOf) } }],
        from(receivedMs),
      );
    }
    if (step.kind === 'map')
      await service.append(mappingStream(vendor), 'MappingRegistered', {
        network,
        version: mappings,
        mapping: {
          vendor,
          schema_version: '1',
          fields: { ...flatFields, duration: { path: step.field, unit: 's' } },
        },
      });
    if (step.kind === 'device')
      await service.register({
        devices: [
          {
            id: (devices += 1),
            name: `D${devices}`,
            location: network,
            timezone: step.zone,
            screen_ids: [step.screen],
          },
        ],
      });
  };

  /** A screen stays at the device that listed it first; a request has one receipt time. */
  const steps = scenarios.map((scenario) => {
    const listed = new Set<string>();
    return scenario.flatMap((step): DynamicStep[] => {
      if (step.kind === 'send')
        return [
          { ...step, events: step.events.map((event) => ({ ...event, receivedMs: step.events[0]!.receivedMs })) },
        ];
      if (step.kind !== 'device') return [step];
      if (listed.has(step.screen)) return [];
      listed.add(step.screen);
      return [step];
    });
  });

  before(async () => {
    service = await startTestSystem({ of: ['registry', 'coffee'] });
    const numbers = steps.map((_, index) => index + 1);
    await service.register({
      networks: numbers.map((id) => ({ id, name: `N${id}`, timezone: 'UTC' })),
      vendors: numbers.map((id) => ({ code: `v${id}`, name: `V${id}`, network: id })),
      sites: numbers.map((id) => ({ id, name: `S${id}`, network: id, timezone: 'UTC' })),
      locations: numbers.map((id) => ({ id, name: `L${id}`, site: id })),
    });
    const mappings = steps.map(() => 0);
    for (let index = 0; steps.some(({ length }) => length > index); index += 1) {
      for (const [network, own] of steps.entries()) {
        const step = own[index];
        if (step?.kind === 'map') mappings[network]! += 1;
        if (step) await appendStep(network + 1, step, mappings[network]!);
      }
      if (index % 4 === 3) await service.projectOne('coffee', { limits: { rows: 20, bytes: 1e9, ageMs: 1_000 } });
    }
    await service.projectOne('coffee');
  });
  after(() => service.close());

  it('generates enough rows to compare', () => {
    const expected = steps.map(expectedNetwork);
    const of = (index: number) =>
      expected.flatMap(({ balance }) => Object.values(balance)).reduce((sum, counts) => sum + counts[index]!, 0);
    for (const index of [0, 1, 2, 3, 4, 5, 6]) expect(of(index), String(index)).to.be.greaterThan(0);
    expect(expected.flatMap(({ receipts }) => receipts).some(({ play }) => (play?.version ?? 0) > 1)).to.equal(true);
  });

  it('gives the plays, the quarantine and the balance of the model', async () => {
    const balance = await service.writer.rows<Record<string, string | number>>(
      `SELECT network_id, toString(hour) AS at, received, stored, duplicate, conflict, quarantined, late, clock_ahead
       FROM vendor_balance_live`,
    );
    const plays = await service.writer.rows<Record<string, string | number>>(
      'SELECT network_id, event_id, toUnixTimestamp64Milli(ts) AS ms, duration_ms / 1000 AS s FROM coffee_live ORDER BY event_id',
    );
    const released = await service.writer.rows<Record<string, string | number>>(
      'SELECT network_id, event_id, mapping_version AS version FROM quarantine_live ORDER BY pos',
    );
    for (const [index, own] of steps.entries()) {
      const expected = expectedNetwork(own);
      const ours = (rows: readonly Record<string, string | number>[]) =>
        rows.filter((row) => row['network_id'] === index + 1).map((row) => Object.values(row).slice(1));
      const counts = Object.fromEntries(ours(balance).map(([at, ...figures]) => [String(at), figures] as const));
      expect(counts, JSON.stringify(own)).to.deep.equal(expected.balance);
      expect(ours(plays), JSON.stringify(own)).to.deep.equal(expected.plays);
      const versions = new Map<string, number[]>();
      for (const { sent, play, isCanonical } of expected.receipts)
        if (!isCanonical) versions.set(sent.id, [...(versions.get(sent.id) ?? []), play?.version ?? 0]);
      for (const [id, version] of ours(released))
        if (id !== '') expect(versions.get(String(id)), JSON.stringify(own)).to.include(version);
    }
  });

  for (const [index, rows] of sizes.entries())
    it(`gives the same rows when rebuilt in batches of ${rows}`, async () => {
      await rebuildGeneration(service, index + 2, { rows, bytes: 1e9, ageMs: 500 });
      const [live, again] = [await readTables(service, 1), await readTables(service, index + 2)];
      for (const [table, expected] of Object.entries(live)) {
        const rows = again[table]!;
        expect(rows.length, table).to.equal(expected.length);
        for (const [at, row] of expected.entries()) expect(rows[at], table).to.deep.equal(row);
      }
      expect(live['quarantine']).to.not.be.empty;
    });

  for (const rows of buildSizes)
    it(`has the same rows in a replay with batches of ${rows} rows that is killed`, async () => {
      const generation = rows + 100;
      const options = { limits: { rows, bytes: 1e9, ageMs: 50, maxWindowRows: 25 } };
      let killed = 0;
      for (const at of [4, 30, 45])
        killed += Number(
          await runUntilKilled(service, { at, isBefore: at === 30 }, (more) =>
            build(service, 'coffee', generation, { ...options, ...more }),
          ),
        );
      expect(killed).to.be.greaterThan(1);
      await build(service, 'coffee', generation, options);
      const [live, built] = [await readTables(service, 1), await readTables(service, generation)];
      for (const table of Object.keys(live)) expect(built[table], table).to.deep.equal(live[table]);
    });
});
