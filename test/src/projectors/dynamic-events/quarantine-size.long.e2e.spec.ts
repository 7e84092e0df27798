import { expect } from 'chai';
import { dynamicSystem, flat } from './dynamic.fixture.ts';

const count = process.env['POPSVC_LONG'] === '1' ? 1_000_000 : 30_000;
const perAppend = 500;
const firstMs = Date.parse('2026-08-20T00:00:00Z');

const megabytes = () => process.memoryUsage().rss / 1_048_576;
const say = (text: string): void => void process.stdout.write(`      ${text}\n`);

/** Runs the work; returns its result, its duration, and how much the memory of this process grew. */
const watched = async (work: () => Promise<void>) => {
  const [began, before] = [performance.now(), megabytes()];
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, megabytes())), 20);
  await work();
  clearInterval(timer);
  return { seconds: (performance.now() - began) / 1_000, grown: most - before };
};

describe(`the release of ${count} quarantined events`, function () {
  this.timeout(3_600_000);
  const dynamic = dynamicSystem();

  it('needs memory that does not grow with their number', async () => {
    for (let sent = 0; sent < count; sent += perAppend)
      await dynamic.events.send(
        Array.from({ length: perAppend }, (_, index) =>
          flat({ id: `event-${sent + index}`, start: new Date(firstMs + (sent + index) * 50).toISOString() }),
        ),
      );
    const kept = await watched(() => dynamic.system.projectOne('coffee'));
    await dynamic.events.map();
    const released = await watched(() => dynamic.system.projectOne('coffee'));
    for (const [what, { seconds, grown }] of Object.entries({ kept, released }))
      say(`${what} at ${(count / seconds).toFixed(0)} events/s, memory grown by ${grown.toFixed(0)} MB`);
    const [{ stored }] = (await dynamic.system.writer.rows<{ stored: number }>(
      'SELECT sum(stored) AS stored FROM vendor_balance_live WHERE quarantined = 0',
    )) as [{ stored: number }];
    const [{ rows }] = (await dynamic.system.writer.rows<{ rows: number }>(
      'SELECT count() AS rows FROM coffee_live',
    )) as [{ rows: number }];
    expect([stored, rows]).to.deep.equal([count, count]);
    expect(released.grown).to.be.lessThan(200);
  });
});
