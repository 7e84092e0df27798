import type { EventMetadata } from '@popsvc/contracts/events';

export interface NewEvent {
  /**
   * UUID. A retry with the same ids and expected revision writes nothing twice. With `any`, EventStoreDB does not guarantee this.
   */
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

export interface LogEvent extends NewEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** Commit position in the log of all streams. It grows with every event. A repaired or restored log may use it for another event. */
  readonly position: bigint;
  /** Time when the store appended the event, in ms since 1970. */
  readonly recordedAtMs: number;
}

/** A number is the revision of the last event in the stream. `any`: the revision is not checked. */
export type ExpectedRevision = 'any' | 'no_stream' | bigint;

export interface AppendResult {
  readonly revision: bigint;
  readonly position: bigint;
}

export type SubscriptionItem = { readonly kind: 'event'; readonly event: LogEvent } | { readonly kind: 'caught-up' };

export interface SubscribeOptions {
  /** Position of the last handled event; the subscription begins after it. */
  readonly after: bigint | 'start';
  readonly prefixes: readonly string[];
  /** Regular expression for stream names, in the syntax that RE2, .NET and JavaScript share. The server uses it instead of `prefixes`. */
  readonly pattern?: string | undefined;
  readonly signal: AbortSignal;
  /** Ends the subscription after the last matching event at or before this position. */
  readonly upTo?: bigint;
}

export interface ReadStreamOptions {
  readonly direction?: 'forwards' | 'backwards';
  readonly from?: bigint;
  readonly max?: number;
}

export type StoreRight = 'read-all' | 'append';

/**
 * Throws WrongExpectedVersion, StreamDeleted, EventStoreRejected or EventStoreUnavailable. After EventStoreUnavailable, an append
 * may have been written; retry it with the same event ids.
 */
export interface EventStore {
  append(
    stream: string,
    events: readonly NewEvent[],
    options?: { readonly expected?: ExpectedRevision; readonly timeoutMs?: number },
  ): Promise<AppendResult>;
  /** Yields nothing if the stream does not exist. */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<LogEvent>;
  /** Yields events in log order, `caught-up` at the end of the log, then new events. Throws if the connection is lost. */
  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionItem>;
  readEventAt(position: bigint): Promise<LogEvent | undefined>;
  /** Returns 0 if the log is empty. */
  readHeadPosition(): Promise<bigint>;
  /** Returns the id of the first event, which identifies the log; an empty string if the log is empty. */
  readLogId(): Promise<string>;
  /** Returns the rights that the store denies to the login of the service. Appends nothing. */
  findMissingRights(): Promise<readonly StoreRight[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Returns 0 for an empty list. */
export const lowestPosition = (positions: readonly bigint[]): bigint =>
  positions.reduce((lowest, each) => (each < lowest ? each : lowest), positions[0] ?? 0n);

/** Returns 0 for an empty list. */
export const highestPosition = (positions: readonly bigint[]): bigint =>
  positions.reduce((highest, each) => (each > highest ? each : highest), 0n);
