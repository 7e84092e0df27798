import { ApiError } from '@popsvc/contracts/errors';
import { createTokenRates } from '@popsvc/query-api/tokens';
import { expect } from 'chai';
import sinon from 'sinon';
import { collectGarbage } from '../support/collect-garbage.ts';
import { startTestQueryApi, type TestQueryApi } from '../query-api/test-query-api.fixture.ts';
import { requestToken } from './token-requests.fixture.ts';

const usedHeapBytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

/** Counts the attempts that pass. */
const countPassed = (attempts: number, attempt: () => void): number =>
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

describe('the rate of token requests', () => {
  it('is limited per client and address', () => {
    let now = 0;
    const rates = createTokenRates(() => now);
    const attempt = (address: string, id: string) => () => rates.countClient(address, id);
    expect(countPassed(100, attempt('192.0.2.1', 'a'))).equal(20);
    // A caller at another address cannot use up the limit of the client.
    expect(countPassed(100, attempt('192.0.2.2', 'a'))).equal(20);
    expect(countPassed(100, attempt('192.0.2.1', 'b'))).equal(20);
    now += 1_000;
    expect(countPassed(100, attempt('192.0.2.1', 'a'))).equal(10);
  });

  it('is limited per address, for any client', () => {
    let now = 0;
    const rates = createTokenRates(() => now);
    expect(countPassed(1_000, () => rates.countAddress('192.0.2.1'))).equal(200);
    expect(countPassed(1_000, () => rates.countAddress('::ffff:192.0.2.2'))).equal(200);
    now += 500;
    expect(countPassed(1_000, () => rates.countAddress('192.0.2.1'))).equal(50);
  });

  it('counts a network of IPv6 as one address', () => {
    const rates = createTokenRates(() => 0);
    for (const [address, left] of [
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
        countPassed(300, () => rates.countAddress(address)),
        address,
      ).equal(left);
  });

  it('takes bounded memory for any number and length of client ids', () => {
    const rates = createTokenRates(() => 0);
    const [clients, idLength] = [50_000, 8_000];
    // No other work runs in between, so the difference is what the limits keep.
    const before = usedHeapBytes();
    for (let index = 0; index < clients; index++)
      rates.countClient(`192.0.2.${index % 256}`, `${index}`.padEnd(idLength, 'x'));
    expect(usedHeapBytes() - before).below((clients * idLength) / 4);
    // The oldest ones are forgotten.
    expect(countPassed(100, () => rates.countClient('192.0.2.0', '0'.padEnd(idLength, 'x')))).equal(20);
  });

  describe('over HTTP', () => {
    let api: TestQueryApi;
    before(async () => {
      api = await startTestQueryApi();
      await api.register([{ id: 1, name: 'One' }]);
    });
    after(() => api.close());

    it('is limited with 429 and Retry-After, in the error format of the endpoint', async () => {
      const { clientId: client_id } = await api.client(1);
      const wrong = { grant_type: 'client_credentials', client_id, client_secret: 'x' };
      // The allowance does not grow, however long the requests take.
      const nowMs = performance.now();
      const clock = sinon.useFakeTimers({ toFake: ['performance'] });
      // The client has its whole allowance again, one second after its token was issued.
      clock.tick(nowMs + 1_000);
      const requests = Promise.all(Array.from({ length: 120 }, () => requestToken(api, wrong)));
      const answers = await requests.finally(() => clock.restore());
      expect(answers.filter(({ status }) => status === 401).length).equal(20);
      const limited = answers.find(({ status }) => status === 429)!;
      expect(limited, 'one of so many').not.equal(undefined);
      expect(limited.headers.get('retry-after')).match(/^[1-9]$/);
      expect(limited.headers.get('cache-control')).equal('no-store');
      const body = (await limited.json()) as object;
      expect(Object.keys(body)).deep.equal(['error', 'error_description']);
      expect(JSON.stringify(body)).not.contain(client_id);
      // Other clients at the same address are not limited.
      expect((await api.client(1)).token).a('string');
    });
  });
});
