import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type CommandApiProcess, startCommandApi } from '../command-api/command-api-process.fixture.ts';
import { commandApi, type TestCommandApi } from '../command-api/command-api.fixture.ts';
import { play, popPath, type Sender, sender } from '../command-api/sender.fixture.ts';
import { maxRatio, measureFairness, type StopAttack } from './fairness.fixture.ts';

/** A compressed body with this many unknown keys. */
const bodyWithKeys = (count: number, isInItem: boolean): Buffer => {
  const keys = Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',');
  return gzipSync(isInItem ? `{"events":[{${keys}}]}` : `{"events":[],${keys}}`, { level: 1 });
};

describe('fairness: bodies with many unknown keys', function () {
  this.timeout(300_000);
  let api: TestCommandApi;
  let service: CommandApiProcess;
  let tenant: Sender;
  let attackerKey: string;
  before(async () => {
    api = await commandApi();
    service = await startCommandApi(api.node.url, api.databaseUrl);
    tenant = sender(service.baseUrl, (await api.newKey(2, 'other')).apiKey);
    ({ apiKey: attackerKey } = await api.newKey());
  });
  after(async () => {
    await service.stop();
    await api.close();
  });

  /** Sends the body over eight connections without a pause. */
  const attackWith = (body: Buffer) => async (): Promise<StopAttack> => {
    const headers = { 'X-API-Key': attackerKey, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const workerData = { url: service.baseUrl + popPath, headers, body, connections: 8 };
    const attacker = new Worker(new URL('./attacker.fixture.js', import.meta.url), { workerData });
    await once(attacker, 'online');
    return async () => {
      attacker.postMessage('stop');
      const [statuses] = (await once(attacker, 'message')) as [Readonly<Record<string, number>>];
      process.stdout.write(`      the attacker received ${JSON.stringify(statuses)}\n`);
      expect(statuses).to.not.have.property('202');
    };
  };

  for (const [what, count, isInItem] of [
    ['420,000 unknown keys next to the list', 420_000, false],
    ['100,000 unknown keys in an event', 99_998, true],
  ] as const)
    it(`with ${what} hardly delay another tenant`, async () => {
      const send = async () => expect((await tenant(popPath, { events: [play()] })).status).to.equal(202);
      const { ratio } = await measureFairness(what, send, attackWith(bodyWithKeys(count, isInItem)));
      expect(ratio).to.be.at.most(maxRatio);
    });
});
