import type { Readable } from 'node:stream';

export type ResponseHeaders = Readonly<Record<string, string>>;

/** What any answer may say of itself. */
interface ResponseBase {
  readonly status: number;
  /** It may be sent compressed to who accepts that. */
  readonly isCompressible?: true;
  /** Its content is the same bytes again and again, and is compressed once. */
  readonly isLasting?: true;
}

export interface JsonResponse extends ResponseBase {
  readonly kind: 'json';
  readonly body: unknown;
  readonly headers?: ResponseHeaders;
}

export interface RawResponse extends ResponseBase {
  readonly kind: 'raw';
  readonly contentType: string;
  readonly content: string | Buffer;
  readonly headers?: ResponseHeaders;
}

/** A body that is never held whole. It is opened after the headers are settled; a failure midway breaks the connection. */
export interface StreamResponse extends ResponseBase {
  readonly kind: 'stream';
  readonly headers: ResponseHeaders;
  /** The signal is aborted when the caller goes away. What is thrown here, before the first byte, is an ordinary error. */
  readonly open: (signal: AbortSignal) => Readable | Promise<Readable>;
}

export type RouteResponse = JsonResponse | RawResponse | StreamResponse;

export const jsonResponse = (status: number, body: unknown, headers?: ResponseHeaders): JsonResponse => ({
  kind: 'json',
  status,
  body,
  ...(headers && { headers }),
});

export const rawResponse = <Content extends string | Buffer>(
  status: number,
  contentType: string,
  content: Content,
  headers?: ResponseHeaders,
): RawResponse & { readonly content: Content } => ({
  kind: 'raw',
  status,
  contentType,
  content,
  ...(headers && { headers }),
});

export const streamResponse = (
  status: number,
  headers: ResponseHeaders,
  open: StreamResponse['open'],
): StreamResponse => ({
  kind: 'stream',
  status,
  headers,
  open,
});

/** An answer that is sent compressed to who accepts that. Not for what is compressed already, nor for secrets beside words of the caller. */
export const allowCompression = <Given extends RouteResponse>(answer: Given): Given => ({
  ...answer,
  isCompressible: true,
});

/** The same for what a process sends again and again: the content is one buffer, which nobody changes. */
export const cacheCompressed = (answer: RawResponse & { readonly content: Buffer }): RawResponse => ({
  ...answer,
  isCompressible: true,
  isLasting: true,
});
