import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createTestPartner, waitUntil, type Service, startService } from '@popsvc/tools/rig';
import { chooseRounds } from '../support/run-conditions.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const rounds = chooseRounds(2, 20);
const seed = Number(process.env['SEED'] ?? 7);

/** A reproducible random number generator for the times of the kills. */
const random = (state: number) => () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

const startMs = Date.parse('2026-09-01T00:00:00Z');
const perRequest = 5;

describe(`kill -9 of the whole service during pushes (${rounds} rounds, seed ${seed})`, function () {
  this.timeout(isLong ? 1_800_000 : 120_000);
  let service: Service;
  after(() => service.stop());

  it('leaves every event acknowledged with 202 in the report once', async () => {
    const next = random(seed);
    const acknowledged = new Set<string>();
    const unknown = new Set<string>();
    let sent = 0;
    service = await startService();

    const pushUntilDead = async (isDead: () => boolean) => {
      while (!isDead()) {
        const events = Array.from({ length: perRequest }, () => {
          sent += 1;
          const playedAt = new Date(startMs + sent * 250).toISOString();
          return {
            eventId: `k-${sent}`,
            screenId: 'demo-screen-1',
            campaignId: 'DEMO-1',
            creativeId: 'DEMO-CR-1',
            playedAt,
            durationMs: 200,
          };
        });
        const ids = events.map(({ eventId }) => eventId);
        const status = await createTestPartner(service.credentials)
          .push('/pop/events', { events })
          .then(
            (answer) => answer.status,
            () => 0,
          );
        for (const id of ids) (status === 202 ? acknowledged : unknown).add(id);
      }
    };

    for (let round = 0; round < rounds; round += 1) {
      let dead = false;
      const pushers = Array.from({ length: 4 }, () => pushUntilDead(() => dead));
      await sleep(300 + next() * 1_500);
      await service.kill9();
      dead = true;
      await Promise.all(pushers);
      service = await startService({ dataDir: service.dataDir });
    }

    expect(acknowledged.size).to.be.greaterThan(rounds * perRequest);
    const { client } = createTestPartner(service.credentials);
    const window = { from: new Date(startMs), to: new Date(startMs + 86_400_000) };
    const read = async () => {
      const seen: string[] = [];
      for await (const row of client.coffee(window)) seen.push(row.EVENT_ID);
      return seen;
    };
    const seen = await waitUntil(read, (ids) => [...acknowledged].every((id) => ids.includes(id)), 30_000);
    expect(new Set(seen).size, 'no event twice').to.equal(seen.length);
    expect(
      seen.filter((id) => !acknowledged.has(id) && !unknown.has(id)),
      'no unknown event',
    ).to.deep.equal([]);
    process.stdout.write(
      `      ${rounds} kills: ${acknowledged.size} acknowledged, ${seen.length} in coffee, ${seen.length - acknowledged.size} stored without an acknowledgement\n`,
    );
  });
});
