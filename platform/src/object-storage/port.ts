import type { Readable } from 'node:stream';
import type { BulkFormat } from '@popsvc/contracts/bulk';

export interface ObjectMetadata {
  readonly sizeBytes: number;
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

/** An upload has the key `uploads/{network}/{fileId}`. A file that the service received for the upload has `/{uuid}` at the end. */
export interface ObjectStore {
  readMetadata(key: string): Promise<ObjectMetadata | undefined>;
  /** Rejects with ObjectNotFound if the object does not exist. The stream fails when the signal aborts. */
  read(key: string, signal: AbortSignal): Promise<Readable>;
  /** Removes an object and all objects below its key. Does nothing if there are none. */
  remove(key: string): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type CreateUploadTarget = (key: string, request: UploadTargetRequest) => Promise<UploadTarget>;

export interface ReceivedObject {
  readonly sizeBytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

export interface ReceivingObjectStore extends ObjectStore {
  readonly kind: 'disk';
  /** Resolves when the object is durable. If the source fails or exceeds `maxBytes` (ObjectTooLarge), nothing is stored. */
  receive(key: string, content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedObject>;
  /** Removes partial uploads that killed processes left behind. */
  removeAbandonedUploads(): Promise<void>;
}

export interface ExternalObjectStore extends ObjectStore {
  readonly kind: 's3';
  readonly createUploadTarget: CreateUploadTarget;
}

export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
}

export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
}
