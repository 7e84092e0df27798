import type { Readable } from 'node:stream';

export type ResponseHeaders = Readonly<Record<string, string>>;

interface ResponseBase {
  readonly status: number;
  readonly isCompressible?: true;
  /** The content is an immutable buffer that is sent many times, so its compressed form may be cached. */
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
  /** Called when the response is complete or its connection is broken. After that, no part of `content` is sent. */
  readonly onClosed?: () => void;
}

/** If the source fails after the first byte was sent, the connection is closed before the response is complete. */
export interface StreamResponse extends ResponseBase {
  readonly kind: 'stream';
  readonly headers: ResponseHeaders;
  /** The signal aborts when the caller disconnects. An error before the first byte becomes an ordinary error response. */
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

/** Unsafe for content that combines secrets with caller input (BREACH attack). */
export const allowCompression = <Given extends RouteResponse>(answer: Given): Given => ({
  ...answer,
  isCompressible: true,
});

export const cacheCompressed = (answer: RawResponse & { readonly content: Buffer }): RawResponse => ({
  ...answer,
  isCompressible: true,
  isLasting: true,
});
