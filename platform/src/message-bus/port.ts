import type { EventMetadata } from '@popsvc/contracts/events';

/** An event of the log as a consumer receives it. */
export interface Message {
  /** Id of the event. */
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
  /** Number of deliveries including this one. */
  readonly deliveries: number;
}

/** A delivered message. It is delivered again unless it is acknowledged, or its timeout extended, within `ackTimeoutMs`. */
export interface Delivery extends Message {
  /** Removes the message from the bus. */
  acknowledge(): Promise<void>;
  /** Restarts the acknowledgement timeout. */
  extendAckTimeout(): Promise<void>;
  /** Delivers the message again after `afterMs`; counts as a delivery. */
  redeliverAfter(afterMs: number): Promise<void>;
}

export interface Consumer {
  /**
   * Letters, digits, `-` and `_`. The state of a consumer is durable: all processes that use a name share it, and a restarted
   * process continues it.
   */
  readonly name: string;
  /** Event types that are delivered. A type that is added later is delivered from then on. */
  readonly types: readonly string[];
  /** Prefixes of the streams that contain the events; default: those of the types. */
  readonly prefixes?: readonly string[];
  /** Time after which an unacknowledged message is delivered again. */
  readonly ackTimeoutMs: number;
  /** Number of deliveries after which a message becomes a dead letter. */
  readonly maxDeliveries: number;
  /** Number of messages that one process handles at a time. */
  readonly maxInFlight: number;
}

export type MessageHandler = (delivery: Delivery) => Promise<void>;

/**
 * Delivers events of the log to consumers: each event to one process of each consumer, at least once, in no guaranteed order. A
 * message that the bus loses is still in the log.
 */
export interface MessageBus {
  /**
   * Delivers messages until the signal aborts, then waits for the running handlers. When a handler throws, its message is
   * delivered again, with growing delays. Retries while a server is unavailable.
   */
  consume(consumer: Consumer, handle: MessageHandler, signal: AbortSignal): Promise<void>;
  /** Throws if the bus does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
