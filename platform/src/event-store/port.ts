import type { EventMetadata } from '@popsvc/contracts/events';

export interface NewEvent {
  /** UUID. An append that repeats ids at the same place of the same stream writes nothing. */
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

export interface LogEvent extends NewEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** Commit position in the log of all streams. It grows with every event and is never reused. */
  readonly position: bigint;
  /** When the store appended it, ms since 1970. */
  readonly recordedAtMs: number;
}

/** `any`: no check; a number: the revision of the last event in the stream. */
export type ExpectedRevision = 'any' | 'no_stream' | bigint;

export interface AppendResult {
  readonly revision: bigint;
  readonly position: bigint;
}

export type SubscriptionItem = { readonly kind: 'event'; readonly event: LogEvent } | { readonly kind: 'caught-up' };

export interface SubscribeOptions {
  /** Position of the last event that was handled; the subscription begins after it. */
  readonly after: bigint | 'start';
  /** Prefixes of stream names. */
  readonly prefixes: readonly string[];
  readonly signal: AbortSignal;
  /** Ends the subscription after the last event up to this position. Default: the subscription continues with new events. */
  readonly upTo?: bigint;
}

export interface ReadStreamOptions {
  readonly direction?: 'forwards' | 'backwards';
  readonly from?: bigint;
  readonly max?: number;
}

/**
 * The event log. Errors: WrongExpectedVersion, StreamDeleted, EventStoreRejected (permanent), and EventStoreUnavailable, after which
 * the outcome of an append is unknown: retry it with the same ids.
 */
export interface EventStore {
  append(
    stream: string,
    events: readonly NewEvent[],
    options?: { readonly expected?: ExpectedRevision; readonly timeoutMs?: number },
  ): Promise<AppendResult>;
  /** Reads one stream; yields nothing if it does not exist. */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<LogEvent>;
  /** Yields events of many streams in log order, `caught-up`, then new events; ends when the signal aborts, or throws. */
  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionItem>;
  /** Returns the event at a position of the log; undefined if there is none. */
  readEventAt(position: bigint): Promise<LogEvent | undefined>;
  /** Returns the position of the newest event; 0 if the log is empty. */
  readHeadPosition(): Promise<bigint>;
  /** Returns the id of the first event, which identifies the log; empty if the log is empty. */
  readLogId(): Promise<string>;
  /** Throws EventStoreUnavailable if the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
