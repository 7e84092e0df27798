import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import type { RouteResponse, ResponseHeaders } from '../endpoints/response.ts';
import type { RequestContext } from './request-context.ts';

/** Report rows are repetitive: level 1 compresses nearly as well as level 9 at a fraction of the CPU time. */
const options = { level: 1 };

/** Smaller responses are not compressed. */
const leastBytes = 1_024;

const zipped = promisify<Buffer, typeof options, Buffer>(gzip);

/**
 * The negotiated content coding and the headers that it adds. gzip is used if the caller prefers it at least as much as no
 * coding.
 */
export interface Coding {
  readonly isGzip: boolean;
  readonly headers: ResponseHeaders;
}

const plain: Coding = { isGzip: false, headers: {} };

export const codingOf = (answer: RouteResponse, { request }: RequestContext, bytes = Infinity): Coding => {
  if (!answer.isCompressible) return plain;
  const isGzip = bytes >= leastBytes && new Negotiator(request).encoding(['gzip', 'identity']) === 'gzip';
  const varied = answer.headers?.['Vary'];
  const vary = varied === undefined ? 'Accept-Encoding' : `${varied}, Accept-Encoding`;
  return { isGzip, headers: { Vary: vary, ...(isGzip && { 'Content-Encoding': 'gzip' }) } };
};

/** Compressed forms by content buffer; an entry lives as long as its buffer. */
const lasting = new WeakMap<Buffer, Promise<Buffer>>();

const zippedOnce = (content: Buffer): Promise<Buffer> => {
  const known = lasting.get(content) ?? zipped(content, { level: 9 });
  lasting.set(content, known);
  return known;
};

export const coded = async (
  content: string | Buffer,
  { isGzip }: Coding,
  { isLasting }: Pick<RouteResponse, 'isLasting'>,
): Promise<string | Buffer> => {
  if (!isGzip) return content;
  return isLasting && typeof content !== 'string' ? zippedOnce(content) : zipped(Buffer.from(content), options);
};

/**
 * An error of the source destroys the compressed stream without ending it, so that a truncated response is not mistaken for a
 * complete one.
 */
export const codedStream = (source: Readable, { isGzip }: Coding): Readable =>
  isGzip ? pipeline(source, createGzip(options), () => undefined) : source;
