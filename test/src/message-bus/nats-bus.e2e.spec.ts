import { randomUUID } from 'node:crypto';
import { type MessageBus, createNatsBus, createNatsPublisher } from '@popsvc/platform/message-bus';
import { publishLog } from '@popsvc/projectors/projections/relay';
import { hasNats, startTestNats, natsProgram } from '../support/engines.ts';
import { describeIfInstalled } from '../support/run-conditions.ts';
import { busSuite } from './message-bus.suite.ts';
import { log, openTestStores } from './bus.fixture.ts';

describeIfInstalled(natsProgram, hasNats, 'NATS bus', () => {
  busSuite(async () => {
    const [stores, server] = await Promise.all([openTestStores(), startTestNats()]);
    const { url } = server;
    const publisher = createNatsPublisher({ url, name: 'test' });
    const end = new AbortController();
    const relaying = publishLog({ ...stores, owner: randomUUID(), feed: publisher }, end.signal);
    const buses: MessageBus[] = [];
    return {
      stores,
      open(metrics) {
        const bus = createNatsBus({ url, name: 'test', store: stores.store, log, ...(metrics && { metrics }) });
        buses.push(bus);
        return bus;
      },
      async close() {
        end.abort();
        await relaying;
        await Promise.all([publisher.close(), ...buses.map((bus) => bus.close())]);
        await Promise.all([server.stop(), stores.close()]);
      },
    };
  });
});
