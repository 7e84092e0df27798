import { randomUUID } from 'node:crypto';
import type { EventStore } from '../../event-store/index.ts';
import type { Postgres } from '../../postgres/index.ts';
import { createSignal } from '../../runtime/index.ts';
import type { Log } from '../../telemetry/index.ts';
import type { BusMetrics } from '../bus-metrics.ts';
import { createHands } from '../hands.ts';
import { keepGoing } from '../keep-going.ts';
import type { MessageBus } from '../port.ts';
import { bring } from './bring.ts';
import { fill } from './fill.ts';

export interface LogBusDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly log: Log;
  readonly metrics?: BusMetrics;
  /** Of this process, and of no other that runs: a name that stays goes on at once where it was killed. Default: a new one. */
  readonly owner?: string;
  /** How long a new message waits before it comes the first time; the same in all processes of a consumer. */
  readonly firstDelayMs?: number;
}

/**
 * The bus on the log and PostgreSQL alone. What a consumer wants is put down in a table and taken from there; `again` until an
 * instant is a timer that survives restarts. With `firstDelayMs` it comes after a faster bus, and brings what that one lost.
 */
export const createLogBus = (parts: LogBusDependencies): MessageBus => {
  const { store, postgres, log, metrics, owner = randomUUID(), firstDelayMs = 0 } = parts;
  const end = new AbortController();
  const consuming = new Set<Promise<unknown>>();
  const consume: MessageBus['consume'] = async (consumer, handle, asked) => {
    const signal = AbortSignal.any([asked, end.signal]);
    const news = createSignal(signal);
    const hands = createHands(consumer.maxInFlight, signal);
    const post = { log, metrics, consumer: consumer.name, handle };
    const filled = { consumer, firstDelayMs, onNews: () => news.notify() };
    await Promise.all([
      keepGoing({ what: `filling ${consumer.name}`, log, signal }, () =>
        fill({ store, postgres, owner }, filled, signal),
      ),
      keepGoing({ what: `bringing ${consumer.name}`, log, signal }, () =>
        bring({ postgres, consumer, post, hands, news }, signal),
      ),
    ]);
    await hands.empty();
  };
  return {
    consume(...given) {
      const done = consume(...given);
      consuming.add(done);
      return done.finally(() => consuming.delete(done));
    },
    async ping() {
      await postgres.query('SELECT 1');
    },
    async close() {
      end.abort();
      await Promise.allSettled(consuming);
    },
  };
};
