import { randomUUID } from 'node:crypto';
import { type MessageBus, createNatsBus, createNatsPublisher } from '@popsvc/platform/message-bus';
import { publishLog } from '@popsvc/projectors/projections/relay';
import { hasNats, startTestNats, natsProgram } from '../support/engines.ts';
import { describeIfInstalled } from '../support/required-binary.ts';
import { busSuite } from './bus.suite.ts';
import { log, openGround } from './buses.fixture.ts';

describeIfInstalled(natsProgram, hasNats, 'bus: NATS', () => {
  busSuite(async () => {
    const [ground, server] = await Promise.all([openGround(), startTestNats()]);
    const { url } = server;
    const feed = createNatsPublisher({ url, name: 'test' });
    const end = new AbortController();
    const relaying = publishLog({ ...ground, owner: randomUUID(), feed }, end.signal);
    const buses: MessageBus[] = [];
    return {
      ground,
      open(metrics) {
        const bus = createNatsBus({ url, name: 'test', store: ground.store, log, ...(metrics && { metrics }) });
        buses.push(bus);
        return bus;
      },
      async close() {
        end.abort();
        await relaying;
        await Promise.all([feed.close(), ...buses.map((bus) => bus.close())]);
        await Promise.all([server.stop(), ground.close()]);
      },
    };
  });
});
