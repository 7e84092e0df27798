import { randomUUID } from 'node:crypto';
import { type MessageBus, type EventPublisher, createNatsBus, createNatsPublisher } from '@popsvc/platform/message-bus';
import { createMetrics } from '@popsvc/platform/telemetry';
import { createStatusRegistry, runRelay } from '@popsvc/projectors/projections/relay';
import { connect, type NatsConnection } from 'nats';
import { startTestNats, type TestNats } from '../support/engines.ts';
import { type Ground, log, openGround } from './buses.fixture.ts';

/** A log, a NATS of its own, and a relay that runs from the one to the other. */
export interface NatsTestServer extends Ground {
  readonly server: TestNats;
  readonly feed: EventPublisher;
  openBus(): MessageBus;
  /** How the relay stands, as operators see it. */
  standing(): string;
  /** A connection of the test's own. */
  look(): Promise<NatsConnection>;
}

export const startNatsTestServer = async (flags: readonly string[] = []): Promise<NatsTestServer> => {
  const [ground, server] = await Promise.all([openGround(), startTestNats(flags)]);
  const { url } = server;
  const feed = createNatsPublisher({ url, name: 'test' });
  const end = new AbortController();
  const board = createStatusRegistry();
  const parts = { ...ground, owner: randomUUID(), feed, board, metrics: createMetrics('test'), log };
  const running = runRelay(parts, end.signal);
  const open: { close(): Promise<void> }[] = [];
  const keep = <Kept extends { close(): Promise<void> }>(kept: Kept): Kept => {
    open.push(kept);
    return kept;
  };
  return {
    ...ground,
    server,
    feed,
    openBus: () => keep(createNatsBus({ url, name: 'test', store: ground.store, log })),
    standing: () => board.statuses[0]!.state,
    look: async () => {
      const { host, username, password } = new URL(url);
      return keep(await connect({ servers: host, user: username, pass: password }));
    },
    async close() {
      end.abort();
      await running;
      await Promise.all([feed.close(), ...open.map((kept) => kept.close())]);
      await Promise.all([server.stop(), ground.close()]);
    },
  };
};
