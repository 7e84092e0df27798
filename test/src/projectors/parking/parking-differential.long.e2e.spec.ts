import { expect } from 'chai';
import fc from 'fast-check';
import { placeOf } from '@popsvc/contracts/events';
import type { LogItem } from '@popsvc/projectors/engine';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { scenario } from '../coffee/audience-scenario.ts';
import { flat, createDynamicEvents } from '../dynamic-events/dynamic.fixture.ts';
import { decide, parkedOf, runTo } from './parked.fixture.ts';
import { rebuildGeneration, readTables } from '../rebuild.fixture.ts';
import { registryOf } from '../coffee/scenario-registry.ts';
import { groupAppends } from '../coffee/scenario-appends.ts';
import { chooseSeed } from '../../support/rounds.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const stories = isLong ? 40 : 1;
const seed = chooseSeed(20_261_123);
const networks = [11, 12];
const names = isLong ? ['coffee', 'watcher-summary'] : ['coffee'];

/** The events of a portion, the events that its build cannot read, and the decision of an operator after it. */
const portion = fc.record({
  sends: fc.array(
    fc.record({
      id: fc.constantFrom('A', 'B', 'C'),
      screen: fc.constantFrom('screen-1', 'new'),
      minute: fc.integer({ min: 10, max: 50 }),
      isLocal: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  maps: fc.boolean(),
  registers: fc.constantFrom('nothing', 'site', 'device', 'both'),
  zone: fc.constantFrom('Europe/London', 'Asia/Tokyo', 'UTC'),
  /** One of this many events cannot be read; 0: all can. */
  refusesOneOf: fc.constantFrom(0, 2, 3, 5),
  decision: fc.constantFrom('nothing', 'retry', 'retry twice', 'retry first', 'discard first'),
  triesWaiting: fc.boolean(),
});
const story = fc.record({
  scenarios: fc.tuple(scenario(networks[0]!), scenario(networks[1]!)),
  portions: fc.array(portion, isLong ? { minLength: 4, maxLength: 6 } : { minLength: 3, maxLength: 3 }),
  rows: fc.constantFrom(10_000, 5),
});

type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** Events are parked, retried, parked again and discarded: the rows equal those of a rebuild that can read every event. */
describe(`parked events that are retried, against a rebuild (${stories} stories, seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 180_000);

  const runStory = async (system: TestSystem, { scenarios, portions, rows }: Story) => {
    const limits = { rows, bytes: 1e9, ageMs: 30 };
    const { send, map, tryWaiting } = createDynamicEvents(system);
    await system.register(smallRegistry);
    await system.register(registryOf(scenarios));
    let parkedAtAll = 0;
    for (const [index, { sends, maps, registers, zone, refusesOneOf, decision, triesWaiting }] of portions.entries()) {
      const head = index === 0 ? 0n : await system.store.readHeadPosition();
      for (const { network, events: all } of scenarios) {
        const share = all.filter((_, at) => Math.floor((at * portions.length) / all.length) === index);
        for (const { stream, events } of groupAppends(network, share))
          await system.appendAll(stream, events, { network, vendor: `v${network}` });
      }
      const site = { ...smallRegistry.sites[0], timezone: zone };
      const device = { ...smallRegistry.devices[0], name: `D${index}`, screen_ids: ['screen-1', 'new'] };
      if (registers === 'site' || registers === 'both') await system.register({ sites: [site] });
      if (registers === 'device' || registers === 'both') await system.register({ devices: [device] });
      await send(
        sends.map(({ id, screen, minute, isLocal }) =>
          flat({ id, screen, start: `2026-08-20T14:${minute}:00${isLocal ? '' : 'Z'}` }),
        ),
      );
      if (triesWaiting) await tryWaiting();
      if (maps) await map({ campaignId: { const: `C-${index}` } });
      for (const name of names) {
        const before = new Set((await parkedOf(system, name)).map(([sequence]) => sequence));
        // A release can read again what it read before.
        const refuses = ({ sequence, stream, type, revision }: LogItem) => {
          const { position, index: at } = placeOf(sequence);
          return (
            refusesOneOf > 0 &&
            !type.startsWith('ParkedEvents') &&
            !/^(registry|mapping)-/.test(stream) &&
            (position > head || before.has(String(sequence))) &&
            (position / 8n + revision + BigInt(at)) % BigInt(refusesOneOf) === 0n
          );
        };
        await runTo(system, name, { refuses, limits });
        const parked = (await parkedOf(system, name)).filter(([, state]) => state === 'parked');
        parkedAtAll += parked.length;
        const [first] = parked;
        if (!first || decision === 'nothing') continue;
        const sequences = decision.startsWith('retry') && decision !== 'retry first' ? undefined : [BigInt(first[0])];
        const reason = decision === 'discard first' ? 'because' : undefined;
        await decide(system, { projection: name, sequences, reason });
        if (decision !== 'retry twice') continue;
        await system.postgres.query(
          `UPDATE parked_events SET decision_requested_at = decision_requested_at - interval '1 hour'`,
        );
        await decide(system, { projection: name, sequences });
      }
    }
    for (const name of names) {
      await runTo(system, name, { limits });
      // A repeated decision is refused for a while.
      await system.postgres.query(`UPDATE parked_events SET decision_requested_at = NULL`);
      await decide(system, { projection: name, sequences: undefined });
      await runTo(system, name, { limits });
      expect((await parkedOf(system, name)).filter(([, state]) => state === 'parked')).to.deep.equal([]);
    }
    return parkedAtAll;
  };

  it('leaves the same rows', async () => {
    let parked = 0;
    for (const [index, each] of fc
      .sample(story, { seed, numRuns: stories + 4 })
      .slice(4)
      .entries()) {
      const system = await startTestSystem();
      try {
        parked += await runStory(system, each);
        for (const name of names) {
          await rebuildGeneration(system, 2, { rows: index % 2 === 0 ? 10_000 : 7, bytes: 1e9, ageMs: 50 }, name);
          const [one, two] = [await readTables(system, 1, name), await readTables(system, 2, name)];
          for (const [table, rows] of Object.entries(two))
            expect(one[table], `${name} ${table}, story ${index}`).to.deep.equal(rows);
        }
      } finally {
        await system.close();
      }
    }
    expect(parked).to.be.greaterThan(2 * stories);
  });
});
