import { intakeStream } from '@popsvc/contracts/events';
import { expect } from 'chai';
import { type CommandApiProcess, startCommandApi } from './command-api-process.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { play, popPath, sender } from './sender.fixture.ts';

const rounds = process.env['POPSVC_LONG'] === '1' ? 60 : 3;

describe('command-api: killed in the middle of a request', function () {
  this.timeout(rounds * 20_000);
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
  });
  after(() => api.close());

  it('the retry takes over, in the same stream, and nothing is there twice', async () => {
    const { apiKey } = await api.newKey(3, 'killed');
    const stream = intakeStream('pop', 3, 'killed', Date.now());
    let service: CommandApiProcess | undefined;
    try {
      for (let round = 0; round < rounds; round++) {
        service = await startCommandApi(api.node.url, api.databaseUrl);
        // Several append calls long, so that the kill may fall between two of them.
        const body = { events: Array.from({ length: 1_000 }, () => play({ context: { text: 'x'.repeat(3_000) } })) };
        const key = { headers: { 'Idempotency-Key': `killed ${round}` } };
        const cut = sender(service.baseUrl, apiKey)(popPath, body, key).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 60 + ((50 * round) % 250)));
        process.kill(service.part.pid()!, 'SIGKILL');
        await service.part.ended;
        await cut;
        // A store that lost its memory of ids, too: only the log itself can tell what is there.
        if (round % 2 === 1) await api.node.restart();
        service = await startCommandApi(api.node.url, api.databaseUrl);
        const reply = await sender(service.baseUrl, apiKey)(popPath, body, key);
        expect(reply.status).to.equal(202);
        const ids = (await api.events(stream)).map(({ id }) => id);
        expect(ids).to.have.length(1_000 * (round + 1));
        expect(new Set(ids)).to.have.property('size', 1_000 * (round + 1));
        await service.stop();
      }
    } finally {
      await service?.stop();
    }
  });
});
