import { randomUUID } from 'node:crypto';
import { type EventPublisher, createNatsPublisher } from '@popsvc/platform/message-bus';
import { createMetrics } from '@popsvc/platform/telemetry';
import { createStatusRegistry } from '@popsvc/projectors/engine';
import { runRelay } from '@popsvc/projectors/projections/relay';
import { connect as connectToNats, type NatsConnection } from 'nats';
import { startTestNats, type TestNats } from '../support/engines.ts';
import { type TestStores, log, openTestStores } from './bus.fixture.ts';

/** An event log, a NATS server, and a relay between them. */
export interface NatsTestServer extends TestStores {
  readonly server: TestNats;
  readonly publisher: EventPublisher;
  /** The state of the relay as operators see it. */
  relayState(): string;
  /** Opens a connection of the test. */
  connect(): Promise<NatsConnection>;
}

export const startNatsTestServer = async (flags: readonly string[] = []): Promise<NatsTestServer> => {
  const [stores, server] = await Promise.all([openTestStores(), startTestNats(flags)]);
  const { url } = server;
  const publisher = createNatsPublisher({ url, name: 'test' });
  const end = new AbortController();
  const statusRegistry = createStatusRegistry();
  const parts = {
    ...stores,
    owner: randomUUID(),
    feed: publisher,
    statusRegistry,
    metrics: createMetrics('test'),
    log,
  };
  const running = runRelay(parts, end.signal);
  const open: { close(): Promise<void> }[] = [];
  const keep = <Kept extends { close(): Promise<void> }>(kept: Kept): Kept => {
    open.push(kept);
    return kept;
  };
  return {
    ...stores,
    server,
    publisher,
    relayState: () => statusRegistry.statuses[0]!.state,
    connect: async () => {
      const { host, username, password } = new URL(url);
      return keep(await connectToNats({ servers: host, user: username, pass: password }));
    },
    async close() {
      end.abort();
      await running;
      await Promise.all([publisher.close(), ...open.map((kept) => kept.close())]);
      await Promise.all([server.stop(), stores.close()]);
    },
  };
};
