import { createInbox, type Msg, nanos, type NatsConnection } from 'nats';

/** What the server says instead of a message: nothing more by the end of the pull; nothing now; still there. */
const [expired, nothing, alive] = [408, 404, 100];
/** How much later than the server we give a pull up. */
const graceMs = 3_000;

export interface Pull {
  readonly connection: NatsConnection;
  readonly stream: string;
  readonly durable: string;
  /** At most so many messages, */
  readonly many: number;
  /** for so long. */
  readonly forMs: number;
}

/** Asks once for messages, and gives them as they come. Throws when the consumer is gone or the server does not answer. */
export async function* pull(
  { connection, stream, durable, many, forMs }: Pull,
  signal: AbortSignal,
): AsyncGenerator<Msg> {
  const reply = createInbox();
  const answers = connection.subscribe(reply);
  const stop = () => answers.unsubscribe();
  const timer = setTimeout(stop, forMs + graceMs);
  signal.addEventListener('abort', stop);
  try {
    const asked = JSON.stringify({ batch: many, expires: nanos(forMs) });
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, asked, { reply });
    let received = 0;
    for await (const message of answers) {
      const { code = 0, description = '' } = message.headers ?? {};
      if (code === expired || code === nothing) return;
      if (code === alive) continue;
      if (code !== 0) throw new Error(`NATS refused to give messages: ${code} ${description}`);
      yield message;
      received += 1;
      if (received === many) return;
    }
    if (!signal.aborted) throw new Error('NATS went away, or did not answer');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    if (!answers.isClosed()) stop();
  }
}
