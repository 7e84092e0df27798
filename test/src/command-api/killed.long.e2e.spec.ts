import { intakeStream, type RecordedPlay } from '@popsvc/contracts/events';
import { expect } from 'chai';
import { chooseRounds } from '../support/rounds.ts';
import { type CommandApiProcess, startCommandApi } from './command-api-process.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { play, popPath, sender } from './sender.fixture.ts';

const rounds = chooseRounds(2, 60);
const runs = chooseRounds(1, 50);
/** A request that takes two append calls. */
const events = () => Array.from({ length: 600 }, () => play({ context: { text: 'x'.repeat(2_000) } }));
/** The fail point where the process ends, and what is stored then. */
const steps = [
  ['before-append:1', 'nothing'],
  ['after-append:1', 'a part'],
  ['before-append:2', 'a part'],
  ['after-append:2', 'a part or all'],
] as const;

describe('command-api: killed during a request', function () {
  this.timeout(60_000 + rounds * 20_000 + runs * 20_000);
  let api: TestCommandApi;
  const running = new Set<CommandApiProcess>();
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    const service = await startCommandApi(api.node.url, api.databaseUrl, env);
    running.add(service);
    return service;
  };
  before(async () => {
    api = await commandApi();
  });
  after(async () => {
    for (const service of running) await service.stop();
    await api.close();
  });
  /** The vendor's ids of the plays in a stream. */
  const idsIn = async (stream: string) => (await api.items(stream)).map(({ data }) => (data as RecordedPlay).eventId);

  for (const [step, due] of steps)
    it(`at ${step}: ${due} is stored, and the retry stores the rest`, async () => {
      const vendor = step.replace(/[-:]/g, '');
      const { apiKey } = await api.newKey(3, vendor);
      const stream = intakeStream('pop', 3, vendor, Date.now());
      let before = 0;
      for (let run = 0; run < runs; run += 1) {
        const headers = { 'Idempotency-Key': `${step} ${run}` };
        const dying = await start({ POPSVC_FAIL_POINT: `intake/${step}` });
        const body = { events: events() };
        const cut = await sender(dying.baseUrl, apiKey)(popPath, body, { headers }).catch(() => undefined);
        expect(cut, 'no answer').to.equal(undefined);
        await dying.part.ended;
        const left = (await idsIn(stream)).length - before;
        if (due === 'nothing') expect(left).to.equal(0);
        else if (due === 'a part') expect(left).to.be.within(1, 599);
        else expect(left).to.be.within(2, 600);
        const again = () => sender(api.baseUrl, apiKey)(popPath, body, { headers });
        expect((await again()).status).to.equal(202);
        expect((await again()).status).to.equal(202);
        const ids = await idsIn(stream);
        expect(ids).to.have.length(before + 600);
        expect(new Set(ids)).to.have.property('size', before + 600);
        before += 600;
      }
    });

  it('a retry continues in the same stream and stores no event twice', async () => {
    const { apiKey } = await api.newKey(3, 'killed');
    const stream = intakeStream('pop', 3, 'killed', Date.now());
    for (let round = 0; round < rounds; round++) {
      const dying = await start();
      // Several append calls, so that the kill may fall between two of them.
      const body = { events: Array.from({ length: 1_000 }, () => play({ context: { text: 'x'.repeat(3_000) } })) };
      const key = { headers: { 'Idempotency-Key': `killed ${round}` } };
      const cut = sender(dying.baseUrl, apiKey)(popPath, body, key).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 60 + ((50 * round) % 250)));
      process.kill(dying.part.pid()!, 'SIGKILL');
      await dying.part.ended;
      await cut;
      // The restarted event store no longer recognizes the ids, so only the stream itself shows what is stored.
      if (round % 2 === 1) await api.node.restart();
      const service = await start();
      const reply = await sender(service.baseUrl, apiKey)(popPath, body, key);
      expect(reply.status).to.equal(202);
      const ids = await idsIn(stream);
      expect(ids).to.have.length(1_000 * (round + 1));
      expect(new Set(ids)).to.have.property('size', 1_000 * (round + 1));
      await service.stop();
    }
  });
});
