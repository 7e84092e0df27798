import { randomUUID } from 'node:crypto';
import { Refusal } from '@popsvc/contracts/errors';
import { ParkedEventsDiscarded, ParkedEventsRetried, parkingStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { EventStore } from '@popsvc/platform/event-store';
import { type Asked, askParked, type Records } from '@popsvc/platform/records';
import { allProjections } from '../../all.ts';
import { appendAgain } from '../append-again.ts';

/** Facts taken late are named in every statement of their batch. */
const mostAtOnce = 500;

export interface DecideParts {
  readonly store: Pick<EventStore, 'append' | 'at'>;
  readonly records: Records;
}

export interface Deciding {
  readonly projection: string;
  /** Undefined: all that are parked. */
  readonly positions: readonly string[] | undefined;
  /** Given: they are discarded. */
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
}

const write = async (
  store: DecideParts['store'],
  { projection, reason, requestId }: Deciding,
  asked: readonly Asked[],
): Promise<void> => {
  const told = { projection, events: asked.map(({ position, stream }) => ({ position, stream })) };
  const [{ type, version }, data] =
    reason === undefined
      ? [ParkedEventsRetried, told satisfies ParkedEventsRetried]
      : [ParkedEventsDiscarded, { ...told, reason } satisfies ParkedEventsDiscarded];
  const metadata = {
    schemaVersion: version,
    receivedAt: instantOf(Date.now()),
    ...(requestId !== undefined && { requestId }),
  };
  await appendAgain(store, parkingStream(projection), [{ id: randomUUID(), type, data, metadata }], 'any');
};

/** Events that are not parked may be discarded, too: they keep a generation from being built. */
const inLog = async (store: DecideParts['store'], positions: readonly string[]): Promise<readonly Asked[]> => {
  const found: Asked[] = [];
  for (const position of positions) {
    const event = await store.at(BigInt(position)).catch(() => undefined);
    if (event) found.push({ position, stream: event.stream });
  }
  return found;
};

const nothing = ({ projection, positions = [] }: Deciding): Refusal =>
  new Refusal(
    'NOT_FOUND',
    `${projection} has nothing parked at ${positions.slice(0, 5).join(', ')}, or it was asked for a moment ago (GET /ops/v1/parked).`,
  );

/**
 * Writes to the log what an operator decided about parked events, which every generation of the projection goes by; how many
 * events are meant. Of a stream whose order matters a retry means all that is parked.
 */
export const decideParked = async ({ store, records }: DecideParts, deciding: Deciding): Promise<number> => {
  const { projection, positions, reason } = deciding;
  const isRetry = reason === undefined;
  const whole = isRetry ? (allProjections.find(({ name }) => name === projection)?.recalls ?? []) : [];
  let events = 0;
  for (let asked: readonly Asked[] = []; events === 0 || asked.length === mostAtOnce; events += asked.length) {
    asked = await askParked(records, { projection, positions, whole, most: mostAtOnce }, (those) =>
      write(store, deciding, those),
    );
    if (asked.length === 0) break;
  }
  if (events > 0 || !positions) return events;
  const unparked = isRetry ? [] : await inLog(store, positions);
  if (unparked.length === 0) throw nothing(deciding);
  await write(store, deciding, unparked);
  return unparked.length;
};
