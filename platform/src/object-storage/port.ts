import type { Readable } from 'node:stream';
import type { BulkFormat } from '@popsvc/contracts/bulk';

/** What is known of an object without reading it. */
export interface ObjectMetadata {
  readonly sizeBytes: number;
  /** Changes whenever the content does. */
  readonly tag: string;
  /** When it was stored, ms since 1970. */
  readonly storedAtMs: number;
}

export interface UploadTarget {
  readonly url: string;
  readonly instructions: string;
}

export interface UploadTargetRequest {
  readonly format: BulkFormat;
  readonly expiresAtMs: number;
}

/** Where uploaded files lie. Keys are ours (`uploads/{network}/{fileId}`), never a client's file name. */
export interface ObjectStore {
  /** Undefined when there is none. */
  readMetadata(key: string): Promise<ObjectMetadata | undefined>;
  /** The content as a stream; rejects with ObjectNotFound when there is none. Ends with an error when the signal is aborted. */
  read(key: string, signal: AbortSignal): Promise<Readable>;
  /** Removes the object and whatever lies under its key; does nothing when there is none. */
  remove(key: string): Promise<void>;
  /** Throws when the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Hands out addresses that take one object by HTTP PUT until they expire, with one content type and no other. */
export type CreateUploadTarget = (key: string, asked: UploadTargetRequest) => Promise<UploadTarget>;

export interface ReceivedObject {
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** A store that files come to through this service. */
export interface ReceivingObjectStore extends ObjectStore {
  readonly kind: 'disk';
  /**
   * Stores what comes, in bounded memory. Resolves when it is durable; when the content breaks off or is more than `maxBytes`
   * (ObjectTooLarge), nothing is left of it.
   */
  receive(key: string, content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedObject>;
  /** Takes away what processes that were killed while they received have left; done on opening, too. */
  removeAbandonedUploads(): Promise<void>;
}

/** A store that files come to without us. */
export interface ExternalObjectStore extends ObjectStore {
  readonly kind: 's3';
  readonly createUploadTarget: CreateUploadTarget;
}

/** There is no object of this key. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
}

/** More bytes came than are accepted; nothing of them is kept. */
export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
}
