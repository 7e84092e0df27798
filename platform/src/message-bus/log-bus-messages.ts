import type { EventMetadata } from '@popsvc/contracts/events';
import type { LogEvent } from '../event-store/index.ts';
import type { Queryable } from '../postgres/index.ts';
import type { Consumer, Message } from './port.ts';

export interface StoredMessage extends Message {
  readonly position: string;
  /** Whether this delivery exceeded the delivery limit and turned the message into a dead letter. */
  readonly isDead: boolean;
}

const inMs = (parameter: string) => `now() + ${parameter} * interval '1 millisecond'`;

/** Stores events as messages for a consumer. The messages become due after `delayMs`. */
export const insertMessages = async (
  client: Queryable,
  consumer: string,
  events: readonly LogEvent[],
  delayMs: number,
): Promise<void> => {
  if (events.length === 0) return;
  const column = (of: (event: LogEvent) => string) => events.map(of);
  await client.query(
    `INSERT INTO bus_messages (consumer, due_at, position, id, type, stream, data, metadata)
     SELECT $1, ${inMs('$2')}, * FROM unnest($3::bigint[], $4::uuid[], $5::text[], $6::text[], $7::json[], $8::json[])`,
    [
      consumer,
      delayMs,
      column(({ position }) => position.toString()),
      column(({ id }) => id),
      column(({ type }) => type),
      column(({ stream }) => stream),
      column(({ data }) => JSON.stringify(data)),
      column(({ metadata }) => JSON.stringify(metadata)),
    ],
  );
};

interface Row {
  readonly position: string;
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
  readonly deliveries: number;
  readonly isDead: boolean;
}

/** Takes at most `limit` due messages and hides them from other processes until the acknowledgement timeout expires. */
export const takeMessages = async (
  postgres: Queryable,
  { name, ackTimeoutMs, maxDeliveries }: Consumer,
  limit: number,
): Promise<readonly StoredMessage[]> => {
  const { rows } = await postgres.query<Row>(
    `WITH due AS MATERIALIZED (
       SELECT position FROM bus_messages WHERE consumer = $1 AND dead_at IS NULL AND due_at <= now()
       ORDER BY due_at, position LIMIT $2 FOR UPDATE SKIP LOCKED)
     UPDATE bus_messages m
     SET deliveries = least(deliveries + 1, $4), dead_at = CASE WHEN deliveries >= $4 THEN now() END, due_at = ${inMs('$3')}
     FROM due WHERE m.consumer = $1 AND m.position = due.position
     RETURNING m.position, id, type, stream, data, metadata, deliveries, dead_at IS NOT NULL AS "isDead"`,
    [name, limit, ackTimeoutMs, maxDeliveries],
  );
  return rows;
};

/** Removes acknowledged messages, even if they were redelivered to another process in the meantime. */
export const removeMessages = async (
  postgres: Queryable,
  consumer: string,
  positions: readonly string[],
): Promise<void> => {
  await postgres.query('DELETE FROM bus_messages WHERE consumer = $1 AND position = ANY($2) AND dead_at IS NULL', [
    consumer,
    positions,
  ]);
};

/** Makes a message due after `afterMs`, unless it was redelivered in the meantime. */
export const postponeMessage = async (
  postgres: Queryable,
  consumer: string,
  { position, deliveries }: StoredMessage,
  afterMs: number,
): Promise<void> => {
  await postgres.query(
    `UPDATE bus_messages SET due_at = ${inMs('$4')}
     WHERE consumer = $1 AND position = $2 AND deliveries = $3 AND dead_at IS NULL`,
    [consumer, position, deliveries, afterMs],
  );
};
