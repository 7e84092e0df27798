import type { Readable } from 'node:stream';

export type Headers = Readonly<Record<string, string>>;

/** What any answer may say of itself. */
interface Answered {
  readonly status: number;
  /** It may be sent compressed to who accepts that. */
  readonly isCompressible?: true;
  /** Its content is the same bytes again and again, and is compressed once. */
  readonly isLasting?: true;
}

export interface JsonAnswer extends Answered {
  readonly kind: 'json';
  readonly body: unknown;
  readonly headers?: Headers;
}

export interface RawAnswer extends Answered {
  readonly kind: 'raw';
  readonly contentType: string;
  readonly content: string | Buffer;
  readonly headers?: Headers;
}

/** A body that is never held whole. It is opened after the headers are settled; a failure midway breaks the connection. */
export interface StreamAnswer extends Answered {
  readonly kind: 'stream';
  readonly headers: Headers;
  /** The signal is aborted when the caller goes away. What is thrown here, before the first byte, is an ordinary error. */
  readonly open: (signal: AbortSignal) => Readable | Promise<Readable>;
}

export type Answer = JsonAnswer | RawAnswer | StreamAnswer;

export const json = (status: number, body: unknown, headers?: Headers): JsonAnswer => ({
  kind: 'json',
  status,
  body,
  ...(headers && { headers }),
});

export const raw = <Content extends string | Buffer>(
  status: number,
  contentType: string,
  content: Content,
  headers?: Headers,
): RawAnswer & { readonly content: Content } => ({
  kind: 'raw',
  status,
  contentType,
  content,
  ...(headers && { headers }),
});

export const stream = (status: number, headers: Headers, open: StreamAnswer['open']): StreamAnswer => ({
  kind: 'stream',
  status,
  headers,
  open,
});

/** An answer that is sent compressed to who accepts that. Not for what is compressed already, nor for secrets beside words of the caller. */
export const compressible = <Given extends Answer>(answer: Given): Given => ({ ...answer, isCompressible: true });

/** The same for what a process sends again and again: the content is one buffer, which nobody changes. */
export const compressibleOnce = (answer: RawAnswer & { readonly content: Buffer }): RawAnswer => ({
  ...answer,
  isCompressible: true,
  isLasting: true,
});
