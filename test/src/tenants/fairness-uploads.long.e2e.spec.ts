import { holdUploads } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { type CommandApiProcess, startCommandApi } from '../command-api/command-api-process.fixture.ts';
import { commandApi, type TestCommandApi } from '../command-api/command-api.fixture.ts';
import { play, popPath, type Sender, sender } from '../command-api/sender.fixture.ts';
import { addressFor, upload } from '../command-api/upload.fixture.ts';
import { maxRatio, measureFairness } from './fairness.fixture.ts';

const dripping = 64;

describe('fairness: uploads that drip a byte a second', function () {
  this.timeout(300_000);
  let api: TestCommandApi;
  let service: CommandApiProcess;
  let tenant: Sender;
  let attacker: Sender;
  before(async () => {
    api = await commandApi();
    service = await startCommandApi(api.node.url, api.databaseUrl);
    tenant = sender(service.baseUrl, (await api.newKey(2, 'other')).apiKey);
    attacker = sender(service.baseUrl, (await api.newKey()).apiKey);
  });
  after(async () => {
    await service.stop();
    await api.close();
  });

  const drip = async () => {
    const stop = holdUploads((await addressFor(attacker)).uploadUrl, dripping);
    return () => {
      stop();
      return Promise.resolve();
    };
  };

  it('hardly delay the requests of another tenant', async () => {
    const send = async () => expect((await tenant(popPath, { events: [play()] })).status).to.equal(202);
    expect((await measureFairness('requests during 64 dripping uploads', send, drip)).ratio).to.be.at.most(maxRatio);
  });

  it('hardly delay the uploads of another tenant', async () => {
    const send = async () => {
      const { uploadUrl } = await addressFor(tenant);
      expect((await upload(uploadUrl)).status).to.equal(200);
    };
    expect((await measureFairness('uploads during 64 dripping uploads', send, drip)).ratio).to.be.at.most(maxRatio);
  });
});
