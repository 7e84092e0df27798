import type { EventMetadata } from '@popsvc/contracts/events';

/** An event from the log, as a consumer receives it. */
export interface Message {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
  /** Number of deliveries including this one. */
  readonly deliveries: number;
}

/** A delivered message. The bus redelivers it unless the handler acknowledges it or extends the timeout within `ackTimeoutMs`. */
export interface Delivery extends Message {
  /** Removes the message from the bus. */
  acknowledge(): Promise<void>;
  extendAckTimeout(): Promise<void>;
  /** Requests redelivery of the message after `afterMs`. The redelivery counts against `maxDeliveries`. */
  redeliverAfter(afterMs: number): Promise<void>;
}

export interface Consumer {
  /**
   * Name of the consumer: letters, digits, `-` and `_`. The bus stores durably which messages a consumer has acknowledged. All
   * processes that use the same name share this state.
   */
  readonly name: string;
  /** Event types to deliver. If a type is added to an existing consumer, earlier events of that type might be skipped. */
  readonly types: readonly string[];
  /** Prefixes of the streams that contain the events. Default: the prefixes of the streams that contain the event types. */
  readonly prefixes?: readonly string[];
  /** An unacknowledged message is redelivered after this time in ms. */
  readonly ackTimeoutMs: number;
  /** Maximum number of deliveries. After that, a message becomes a dead letter. */
  readonly maxDeliveries: number;
  /** Maximum number of messages that one process handles at a time. */
  readonly maxInFlight: number;
}

export type MessageHandler = (delivery: Delivery) => Promise<void>;

/**
 * Delivers events from the log to consumers. Each consumer receives each event at least once, in one of its processes; the order
 * is not guaranteed. If the bus loses a message, the event is still in the log.
 */
export interface MessageBus {
  /**
   * Delivers messages until the signal aborts, then waits for the running handlers. If a handler throws, its message is
   * redelivered, with increasing delays. Retries while a server that the bus needs is unavailable.
   */
  consume(consumer: Consumer, handle: MessageHandler, signal: AbortSignal): Promise<void>;
  /** Throws if the bus does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
