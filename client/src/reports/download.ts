import { PassThrough, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { ConnectionError } from '../http/connection-error.ts';

/** A file on its way. A transfer that is cut ends it with a ConnectionError. It must be read to its end, or destroyed. */
export interface Download {
  readonly body: Readable;
  /** As the service calls it: `coffee_20260801_20260901.csv`. */
  readonly fileName: string | undefined;
  readonly contentType: string | undefined;
  /** Everything the service received until then is in the report. */
  readonly asOf: string | undefined;
}

export const downloadOf = ({ url, headers, body }: Response, signal?: AbortSignal): Download => ({
  body: body ? telling(url, Readable.fromWeb(body as ReadableStream<Uint8Array>), signal) : Readable.from([]),
  fileName: /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '')?.[1],
  contentType: headers.get('content-type') ?? undefined,
  asOf: headers.get('x-data-as-of') ?? undefined,
});

/** The same bytes, and a failure that says what it is. */
const telling = (url: string, bytes: Readable, signal: AbortSignal | undefined): Readable => {
  const told = new PassThrough();
  const failureOf = (error: unknown): unknown =>
    signal?.aborted ? signal.reason : new ConnectionError(url, 'broke off its answer', error);
  bytes.once('error', (error) => told.destroy(failureOf(error) as Error));
  // Heard here: the request, which hands the signal on, may be collected as soon as its answer has begun.
  const leave = () => told.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', leave, { once: true });
  told.once('close', () => {
    signal?.removeEventListener('abort', leave);
    bytes.destroy();
  });
  if (signal?.aborted) leave();
  return bytes.pipe(told);
};
