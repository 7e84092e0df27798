import type { EventMetadata } from '@popsvc/contracts/events';

export interface NewEvent {
  /** UUID; the same id again in the same stream and place is the same event. */
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

export interface LogEvent extends NewEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** Commit position in the whole log: grows with every event, is never reused. */
  readonly position: bigint;
  /** When the store appended it, ms since 1970. */
  readonly recordedAtMs: number;
}

/** `any`: wherever the stream stands; a number: only right after that revision. */
export type ExpectedRevision = 'any' | 'no_stream' | bigint;

export interface AppendResult {
  readonly revision: bigint;
  readonly position: bigint;
}

export type SubscriptionItem = { readonly kind: 'event'; readonly event: LogEvent } | { readonly kind: 'caught-up' };

export interface SubscribeOptions {
  /** Position of the last event already handled; events after it follow. */
  readonly after: bigint | 'start';
  /** Prefixes of stream names. */
  readonly prefixes: readonly string[];
  readonly signal: AbortSignal;
  /** Ends behind the last event up to here, and does not look further for another one. */
  readonly upTo?: bigint;
}

export interface ReadStreamOptions {
  readonly direction?: 'forwards' | 'backwards';
  readonly from?: bigint;
  readonly max?: number;
}

/**
 * The log. Errors: WrongExpectedVersion, StreamDeleted, EventStoreRejected (for good), and EventStoreUnavailable, which leaves the
 * outcome of an append unknown: say it again with the same ids.
 */
export interface EventStore {
  append(
    stream: string,
    events: readonly NewEvent[],
    options?: { readonly expected?: ExpectedRevision; readonly timeoutMs?: number },
  ): Promise<AppendResult>;
  /** Events of one stream; nothing when it does not exist. */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<LogEvent>;
  /** Events of many streams in the order of the log, then `caught-up`, then what comes; ends with the signal or throws. */
  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionItem>;
  /** The event that stands at a position of the whole log; undefined where none does. */
  readEventAt(position: bigint): Promise<LogEvent | undefined>;
  /** Position of the newest event of the whole log; 0 when empty. */
  readHeadPosition(): Promise<bigint>;
  /** Id of the first event of the log, which tells this log from any other; empty while there is none. */
  readLogId(): Promise<string>;
  /** Throws EventStoreUnavailable when the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
