import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { appendEvents, consumerOf, startConsumer } from './bus.fixture.ts';
import { openLogBuses } from './log-bus.fixture.ts';
import { busSuite, type BusUnderTest } from './message-bus.suite.ts';

describe('log bus', () => {
  let system: BusUnderTest;
  // The whole suite is in log-bus.e2e.spec.ts.
  busSuite(async () => (system = await openLogBuses()), { messages: 2_000, isTimed: false });

  it('extends the timeout of a message, counted from the time of the request', async () => {
    const consumer = consumerOf({ ackTimeoutMs: 60_000, maxInFlight: 1_000 });
    const [id] = await appendEvents(system.stores.store, 1);
    const readDueMs = async () => {
      const { rows } = await system.stores.postgres.query<{ due: number }>(
        'SELECT extract(epoch FROM due_at)::float8 * 1000 AS due FROM bus_messages WHERE consumer = $1 AND id = $2',
        [consumer.name, id],
      );
      return rows[0]!.due;
    };
    let report: (extendedByMs: number) => void;
    const extendedByMs = new Promise<number>((resolve) => (report = resolve));
    const extending = startConsumer(system.open(), consumer, async (delivery) => {
      if (delivery.id === id) {
        const before = await readDueMs();
        await sleep(100);
        await delivery.extendAckTimeout();
        report((await readDueMs()) - before);
      }
      await delivery.acknowledge();
    });
    expect(await extendedByMs).to.be.at.least(90);
    await extending.stop();
  });
});
