import type { Readable } from 'node:stream';

/** What is known of an object without reading it. */
export interface ObjectFacts {
  readonly sizeBytes: number;
  /** Changes whenever the content does. */
  readonly tag: string;
}

export interface Target {
  readonly url: string;
  readonly instructions: string;
}

export interface TargetAsked {
  readonly contentType: string;
  readonly expiresAtMs: number;
}

/** Where uploaded files lie. Keys are ours (`uploads/{network}/{fileId}`), never a client's file name. */
export interface ObjectStore {
  /** An address that takes this one object by HTTP PUT until it expires. */
  uploadTarget(key: string, asked: TargetAsked): Promise<Target>;
  /** Undefined when there is none. */
  facts(key: string): Promise<ObjectFacts | undefined>;
  /** The content as a stream; rejects when there is none. */
  read(key: string, signal: AbortSignal): Promise<Readable>;
  /** Does nothing when there is none. */
  remove(key: string): Promise<void>;
  /** Throws when the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
