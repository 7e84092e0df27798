import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import type { RouteResponse, ResponseHeaders } from './answer.ts';
import type { RequestContext } from './exchange.ts';

/** Rows repeat themselves: the first level does nearly what the last one does, for a fraction of the time. */
const options = { level: 1 };

/** Below it, what is saved is not worth the work. */
const leastBytes = 1_024;

const zipped = promisify<Buffer, typeof options, Buffer>(gzip);

/** What the coding of an answer adds to its headers; gzip is used where it is liked at least as much as none. */
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

/** What was compressed once, for as long as somebody holds what it was made of. */
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

/** A source that fails fails the compressed one: nothing ends it properly, so that a cut stays a cut. */
export const codedStream = (source: Readable, { isGzip }: Coding): Readable =>
  isGzip ? pipeline(source, createGzip(options), () => undefined) : source;
