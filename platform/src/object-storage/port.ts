import type { Readable } from 'node:stream';
import type { BulkFormat } from '@popsvc/contracts/bulk';

export interface ObjectMetadata {
  readonly sizeBytes: number;
  /** Version tag of the content. It changes whenever the content changes. */
  readonly tag: string;
  /** Time when the object was stored, in ms since 1970. */
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

/**
 * Stores uploaded files. The service chooses the keys, so they contain no file names of clients: `uploads/{network}/{fileId}` is the key of
 * an upload, and `uploads/{network}/{fileId}/{uuid}` that of each file that the service itself received for it.
 */
export interface ObjectStore {
  readMetadata(key: string): Promise<ObjectMetadata | undefined>;
  /**
   * Streams the content of an object. Rejects with ObjectNotFound if the object does not exist. The stream fails when the signal
   * aborts.
   */
  read(key: string, signal: AbortSignal): Promise<Readable>;
  /** Removes an object and all objects below its key. Does nothing if there are none. */
  remove(key: string): Promise<void>;
  /** Throws if the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Creates a URL for uploading one object by HTTP PUT. The URL accepts only one content type and is valid for a limited time. */
export type CreateUploadTarget = (key: string, request: UploadTargetRequest) => Promise<UploadTarget>;

export interface ReceivedObject {
  readonly sizeBytes: number;
  /** Hash of the content, in hexadecimal. */
  readonly sha256: string;
}

/** A store that receives files from clients through this service. */
export interface ReceivingObjectStore extends ObjectStore {
  readonly kind: 'disk';
  /**
   * Stores an object, using bounded memory. Resolves when the object is durable. If the source fails or exceeds `maxBytes`
   * (ObjectTooLarge), nothing is stored.
   */
  receive(key: string, content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedObject>;
  /** Removes partial uploads that killed processes left behind. Opening the store also does this. */
  removeAbandonedUploads(): Promise<void>;
}

/** A store that receives files directly from clients. */
export interface ExternalObjectStore extends ObjectStore {
  readonly kind: 's3';
  readonly createUploadTarget: CreateUploadTarget;
}

export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
}

/** The object exceeds the size limit. Nothing was stored. */
export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
}
