import type { Readable } from 'node:stream';
import type { BulkFormat } from '@popsvc/contracts/bulk';

/** Metadata of an object. */
export interface ObjectMetadata {
  readonly sizeBytes: number;
  /** Changes whenever the content changes. */
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

/** Stores uploaded files. The service chooses the keys (`uploads/{network}/{fileId}`); a client's file name is never used. */
export interface ObjectStore {
  /** Returns undefined if the object does not exist. */
  readMetadata(key: string): Promise<ObjectMetadata | undefined>;
  /** Streams the content; rejects with ObjectNotFound if the object does not exist. The stream fails when the signal aborts. */
  read(key: string, signal: AbortSignal): Promise<Readable>;
  /** Removes the object and all objects below its key; does nothing if none exists. */
  remove(key: string): Promise<void>;
  /** Throws if the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Creates a URL that accepts one object by HTTP PUT, with one content type, until it expires. */
export type CreateUploadTarget = (key: string, request: UploadTargetRequest) => Promise<UploadTarget>;

export interface ReceivedObject {
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** A store whose files are uploaded to this service. */
export interface ReceivingObjectStore extends ObjectStore {
  readonly kind: 'disk';
  /**
   * Stores an object in bounded memory; resolves when it is durable. If the source fails or exceeds `maxBytes` (ObjectTooLarge),
   * nothing is stored.
   */
  receive(key: string, content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedObject>;
  /** Removes partial uploads of processes that were killed; also done when the store is opened. */
  removeAbandonedUploads(): Promise<void>;
}

/** A store to which clients upload directly. */
export interface ExternalObjectStore extends ObjectStore {
  readonly kind: 's3';
  readonly createUploadTarget: CreateUploadTarget;
}

/** The object does not exist. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
}

/** The object exceeds the size limit; nothing was stored. */
export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
}
