import { NatsError } from 'nats';
import { withDeadline } from '../../runtime/index.ts';
import type { Connection } from './connection.ts';
import { deadStream, eventsStream } from './streams.ts';

export interface NatsStreamStatus {
  readonly name: string;
  readonly messages: number;
  readonly bytes: number;
}

/** How NATS stands; asking throws when it does not answer. */
export interface NatsStatus {
  /** False: the server runs without JetStream, and the bus cannot work. */
  readonly jetStream: boolean;
  /** Those of ours that are there. */
  readonly streams: readonly NatsStreamStatus[];
  /** Those of ours that are not. */
  readonly missing: readonly string[];
}

/** What the server says when JetStream is off for all, or for this account. */
const withoutJetStream = new Set(['503', '10039', '10076']);
const isOff = (error: unknown): boolean =>
  error instanceof NatsError &&
  (withoutJetStream.has(error.code) || withoutJetStream.has(String(error.api_error?.err_code)));

export const busFacts = async (link: Connection, answerMs: number): Promise<NatsStatus> => {
  const connection = await link.open();
  await withDeadline(connection.flush(), answerMs, 'the ping of NATS');
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: answerMs });
  try {
    await manager.getAccountInfo();
  } catch (error) {
    if (isOff(error)) return { jetStream: false, streams: [], missing: [] };
    throw error;
  }
  const wanted = [eventsStream.name, deadStream.name];
  const there = (await manager.streams.list().next()).map(({ config, state }) => ({
    name: config.name,
    messages: state.messages,
    bytes: state.bytes,
  }));
  return {
    jetStream: true,
    streams: there.filter(({ name }) => wanted.includes(name)),
    missing: wanted.filter((name) => !there.some((stream) => stream.name === name)),
  };
};
