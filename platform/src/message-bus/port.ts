import type { EventMetadata } from '@popsvc/contracts/events';

/** An event of the log, brought to a consumer. */
export interface Message {
  /** Id of the event. */
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
  /** 1 the first time. */
  readonly deliveries: number;
}

/** A message in hand: it comes again unless it is done with, or given more time, before the consumer's patience ends. */
export interface Delivery extends Message {
  /** Done with: it does not come again. */
  acknowledge(): Promise<void>;
  /** Still at work. */
  extendAckTimeout(): Promise<void>;
  /** To come again after so many milliseconds; it counts as a delivery. */
  redeliverAfter(afterMs: number): Promise<void>;
}

export interface Consumer {
  /** Letters, digits, `-` and `_`. Remembered for ever: the same name goes on where it stopped, however many processes use it. */
  readonly name: string;
  /** Event types it wants. A type that is added later is brought from then on. */
  readonly types: readonly string[];
  /** Prefixes of the streams in which they stand; default: those of the types. */
  readonly prefixes?: readonly string[];
  /** How long a delivery is waited for before the message comes again. */
  readonly ackTimeoutMs: number;
  /** After so many deliveries a message is set aside as dead. */
  readonly maxDeliveries: number;
  /** How many messages one process has in hand at a time. */
  readonly maxInFlight: number;
}

export type MessageHandler = (delivery: Delivery) => Promise<void>;

/**
 * Brings events of the log to consumers, each to one of a consumer's processes, at least once, in no promised order. What is lost
 * in it is never lost in the log.
 */
export interface MessageBus {
  /**
   * Until the signal; then it waits for what is in hand. A handler that throws has its message come again, later each time.
   * Nothing that is away ends it: it goes on when that is back.
   */
  consume(consumer: Consumer, handle: MessageHandler, signal: AbortSignal): Promise<void>;
  /** Throws when it does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
