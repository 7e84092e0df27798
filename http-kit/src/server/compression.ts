import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import type { RouteResponse, ResponseHeaders } from '../endpoints/response.ts';
import type { RequestContext } from './request-context.ts';

/** Report rows are repetitive, so level 1 compresses nearly as well as level 9 for much less CPU time. */
const gzipOptions = { level: 1 };

const minCompressedBytes = 1_024;

const gzipAsync = promisify<Buffer, typeof gzipOptions, Buffer>(gzip);

export interface Coding {
  readonly isGzip: boolean;
  readonly headers: ResponseHeaders;
}

const identityCoding: Coding = { isGzip: false, headers: {} };

export const negotiateCoding = (answer: RouteResponse, { request }: RequestContext, bytes = Infinity): Coding => {
  if (!answer.isCompressible) return identityCoding;
  const isGzip = bytes >= minCompressedBytes && new Negotiator(request).encoding(['gzip', 'identity']) === 'gzip';
  const varied = answer.headers?.['Vary'];
  const vary = varied === undefined ? 'Accept-Encoding' : `${varied}, Accept-Encoding`;
  return { isGzip, headers: { Vary: vary, ...(isGzip && { 'Content-Encoding': 'gzip' }) } };
};

const cachedGzip = new WeakMap<Buffer, Promise<Buffer>>();

const gzipCached = (content: Buffer): Promise<Buffer> => {
  const cached = cachedGzip.get(content) ?? gzipAsync(content, { level: 9 });
  cachedGzip.set(content, cached);
  return cached;
};

export const encodeContent = async (
  content: string | Buffer,
  { isGzip }: Coding,
  { isLasting }: Pick<RouteResponse, 'isLasting'>,
): Promise<string | Buffer> => {
  if (!isGzip) return content;
  return isLasting && typeof content !== 'string' ? gzipCached(content) : gzipAsync(Buffer.from(content), gzipOptions);
};

/** `pipeline` destroys the compressed stream without an end if the source fails, so a truncated response does not look complete. */
export const encodeStream = (source: Readable, { isGzip }: Coding): Readable =>
  isGzip ? pipeline(source, createGzip(gzipOptions), () => undefined) : source;
