/** An event as a client sends it. The buffers are views of the request. */
export interface ProposedEvent {
  /** Lower-case UUID of 36 characters. */
  readonly id: string;
  readonly type: Buffer;
  /** Whether the content type is application/json; everything else is stored as application/octet-stream. */
  readonly json: boolean;
  readonly metadata: Buffer;
  readonly data: Buffer;
}

/** What the caller believes the stream's last revision to be. */
export type ExpectedRevision = 'any' | 'no_stream' | 'stream_exists' | bigint;

/** Bytes that count against the limit of an append. */
export const countedBytes = (event: ProposedEvent): number =>
  event.data.length + event.metadata.length + 2 * event.type.toString('utf8').length;
