import type { EventMetadata } from '@popsvc/contracts/events';

export interface NewEvent {
  /**
   * UUID of the event. An append can be retried with the same event ids and the same expected revision: if the earlier attempt was
   * written, the retry writes nothing. With `any`, EventStoreDB does not guarantee this.
   */
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
  /** Time when the store appended the event, in ms since 1970. */
  readonly recordedAtMs: number;
}

/**
 * The revision that a stream must have for an append to succeed. `any`: the revision is not checked. A number: the revision of
 * the last event in the stream.
 */
export type ExpectedRevision = 'any' | 'no_stream' | bigint;

export interface AppendResult {
  readonly revision: bigint;
  readonly position: bigint;
}

export type SubscriptionItem = { readonly kind: 'event'; readonly event: LogEvent } | { readonly kind: 'caught-up' };

export interface SubscribeOptions {
  /** Position of the last handled event. The subscription begins after it. */
  readonly after: bigint | 'start';
  /** The subscription reads the streams whose names start with one of these prefixes. */
  readonly prefixes: readonly string[];
  /** Regular expression (RE2 syntax) for stream names. If it is given, the server uses it instead of `prefixes`. */
  readonly pattern?: string | undefined;
  readonly signal: AbortSignal;
  /**
   * Ends the subscription after the last matching event at or before this position. If undefined, the subscription does not end,
   * and yields new events.
   */
  readonly upTo?: bigint;
}

export interface ReadStreamOptions {
  readonly direction?: 'forwards' | 'backwards';
  readonly from?: bigint;
  readonly max?: number;
}

/** A right that the service needs: to read the stream `$all`, which contains all events, or to append to streams. */
export type StoreRight = 'read-all' | 'append';

/**
 * The event log. Throws WrongExpectedVersion, StreamDeleted, EventStoreRejected (permanent) or EventStoreUnavailable. After
 * EventStoreUnavailable it is unknown whether an append was written; retry it with the same event ids.
 */
export interface EventStore {
  append(
    stream: string,
    events: readonly NewEvent[],
    options?: { readonly expected?: ExpectedRevision; readonly timeoutMs?: number },
  ): Promise<AppendResult>;
  /** Reads one stream. Yields nothing if the stream does not exist. */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<LogEvent>;
  /**
   * Yields events of many streams in log order, `caught-up` at the end of the log, then new events. Ends at `upTo` or when the
   * signal aborts; throws if the connection is lost.
   */
  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionItem>;
  /** Returns the event at a position of the log, or undefined if there is none. */
  readEventAt(position: bigint): Promise<LogEvent | undefined>;
  /** Returns the position of the newest event; 0 if the log is empty. */
  readHeadPosition(): Promise<bigint>;
  /** Returns the id of the first event, which identifies the log; an empty string if the log is empty. */
  readLogId(): Promise<string>;
  /** Returns the rights that the store denies to the login of the service. Appends nothing. */
  findMissingRights(): Promise<readonly StoreRight[]>;
  /** Throws EventStoreUnavailable if the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Returns the lowest of several log positions; 0 for none. */
export const lowestPosition = (positions: readonly bigint[]): bigint =>
  positions.reduce((lowest, each) => (each < lowest ? each : lowest), positions[0] ?? 0n);

/** Returns the highest of several log positions; 0 for none. */
export const highestPosition = (positions: readonly bigint[]): bigint =>
  positions.reduce((highest, each) => (each > highest ? each : highest), 0n);
