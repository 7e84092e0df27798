import { ApiError } from '@popsvc/contracts/errors';
import { tokenRates } from '@popsvc/query-api/tokens';
import { expect } from 'chai';
import { collectGarbage } from '../support/collect-garbage.ts';
import { openWorld, type World } from '../query-api/world.fixture.ts';
import { askToken } from './token-requests.fixture.ts';

const heldBytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

/** How many of so many attempts pass. */
const passed = (attempts: number, attempt: () => void): number =>
  Array.from({ length: attempts }).filter(() => {
    try {
      attempt();
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error;
      expect(error.retryAfterSeconds).within(1, 2);
      return false;
    }
  }).length;

describe('asking for tokens', () => {
  it('is limited for a client from one address', () => {
    let now = 0;
    const rates = tokenRates(() => now);
    const ask = (peer: string, id: string) => () => rates.countClient(peer, id);
    expect(passed(100, ask('192.0.2.1', 'a'))).equal(20);
    // Who knows the id of another cannot use up what is that one's.
    expect(passed(100, ask('192.0.2.2', 'a'))).equal(20);
    expect(passed(100, ask('192.0.2.1', 'b'))).equal(20);
    now += 1_000;
    expect(passed(100, ask('192.0.2.1', 'a'))).equal(10);
  });

  it('is limited for an address, whoever it says to be', () => {
    let now = 0;
    const rates = tokenRates(() => now);
    expect(passed(1_000, () => rates.countPeer('192.0.2.1'))).equal(200);
    expect(passed(1_000, () => rates.countPeer('::ffff:192.0.2.2'))).equal(200);
    now += 500;
    expect(passed(1_000, () => rates.countPeer('192.0.2.1'))).equal(50);
  });

  it('counts a network of IPv6 as one address', () => {
    const rates = tokenRates(() => 0);
    for (const [peer, left] of [
      ['2001:db8:1:2::1', 200],
      ['2001:db8:1:2:aaaa:bbbb:cccc:dddd', 0],
      ['2001:db8:1:3::1', 200],
      ['2001:db8::1', 200],
      ['2001:db8::ffff:1', 0],
      ['2001:db8:0:0:5::1', 0],
      ['::1', 200],
      ['', 200],
    ] as const)
      expect(
        passed(300, () => rates.countPeer(peer)),
        peer,
      ).equal(left);
  });

  it('remembers a bounded number of names, however long they are', () => {
    const rates = tokenRates(() => 0);
    const before = heldBytes();
    for (let index = 0; index < 50_000; index++)
      rates.countClient(`192.0.2.${index % 256}`, `${index}`.padEnd(8_000, 'x'));
    expect(heldBytes() - before).below(20 * 1024 * 1024);
  });

  describe('over HTTP', () => {
    let world: World;
    before(async () => {
      world = await openWorld();
      await world.register([{ id: 1, name: 'One' }]);
    });
    after(() => world.close());

    it('is refused with 429 and Retry-After, in the form of the endpoint', async () => {
      const { clientId: client_id } = await world.client(1);
      const wrong = { grant_type: 'client_credentials', client_id, client_secret: 'x' };
      const answers = await Promise.all(Array.from({ length: 120 }, () => askToken(world, wrong)));
      expect(answers.filter(({ status }) => status === 401).length).within(20, 100);
      const limited = answers.find(({ status }) => status === 429)!;
      expect(limited, 'one of so many').not.equal(undefined);
      expect(limited.headers.get('retry-after')).match(/^[1-9]$/);
      expect(limited.headers.get('cache-control')).equal('no-store');
      const body = (await limited.json()) as object;
      expect(Object.keys(body)).deep.equal(['error', 'error_description']);
      expect(JSON.stringify(body)).not.contain(client_id);
      // Others at the same address go on.
      expect((await world.client(1)).token).a('string');
    });
  });
});
