import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { ApiError } from '@popsvc/contracts/errors';
import secure from 'secure-json-parse';
import { BodyTimeout } from '../endpoints/errors.ts';
import { maxJsonDepth } from '@popsvc/platform/row-readers';
import { DeadlineExceeded, withDeadline } from '@popsvc/platform/runtime';
import { estimateTransferMs, isHeavyBody } from './heavy-bodies.ts';
import type { CallerLedger } from './caller-ledger.ts';
import type { ServerLimits } from './limits.ts';
import { findJsonError } from './json-error.ts';
import { parseFields, type RequestContext } from './request-context.ts';
import type { ServerContext } from './server-context.ts';

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

interface JsonMeasurements {
  readonly depth: number;
  /** Even an empty array or object, two bytes of JSON, takes many times as much memory when parsed. */
  readonly containers: number;
  /** Parsing a new key takes many times as long as parsing a value. */
  readonly keys: number;
}

/** Stops at the first limit that is exceeded. Does not check that the text is valid JSON. */
const measureJson = (bytes: Uint8Array, jsonLimits: JsonMeasurements): JsonMeasurements => {
  let [level, depth, containers, keys] = [0, 0, 0, 0];
  const { length } = bytes;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) {
      for (at++; at < length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
    } else if (byte === openObject || byte === openList) {
      containers++;
      if (++level > depth) depth = level;
      if (depth > jsonLimits.depth || containers > jsonLimits.containers) break;
    } else if (byte === closeObject || byte === closeList) level--;
    // Outside strings, valid JSON has a colon only after a key.
    else if (byte === colon && ++keys > jsonLimits.keys) break;
  }
  return { depth, containers, keys };
};

const jsonLimits = { depth: maxJsonDepth, containers: 250_000, keys: 100_000 };

/**
 * Throws INVALID_REQUEST for invalid UTF-8 or JSON, for more levels, containers or keys than `jsonLimits`, for lone surrogates, and for
 * keys that could change a prototype.
 */
const parseJson = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes)) throw new ApiError('INVALID_REQUEST', 'The body is not valid UTF-8.');
  const { depth, containers, keys } = measureJson(bytes, jsonLimits);
  if (depth > jsonLimits.depth)
    throw new ApiError('INVALID_REQUEST', `The body is nested deeper than ${jsonLimits.depth} levels.`);
  if (containers > jsonLimits.containers)
    throw new ApiError('INVALID_REQUEST', `The body contains more than ${jsonLimits.containers} lists and objects.`);
  if (keys > jsonLimits.keys)
    throw new ApiError('INVALID_REQUEST', `The body contains more than ${jsonLimits.keys} keys.`);
  const text = bytes.toString('utf8', startsWithByteOrderMark(bytes) ? 3 : 0);
  try {
    if (!suspiciousBytes.some((word) => bytes.includes(word))) return JSON.parse(text);
    const reviver = surrogateEscape.test(text) ? rejectLoneSurrogates : null;
    return secure.parse(text, reviver, { protoAction: 'error', constructorAction: 'error' });
  } catch (cause) {
    const syntaxError = findJsonError(text);
    const message = syntaxError
      ? `The body is not valid JSON: ${syntaxError.message}, in ${syntaxError.excerpt}`
      : rejectedContentMessage;
    throw new ApiError('INVALID_REQUEST', message, { cause });
  }
};

const rejectedContentMessage =
  'The body contains a lone surrogate or a reserved key (__proto__, or constructor with prototype).';

const startsWithByteOrderMark = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/**
 * Without these bytes, a text has no lone surrogate and no dangerous key. A search is fastest if the first byte is rare, so the keys have
 * no opening quote.
 */
const suspiciousBytes = ['\\u', '__proto__"', 'constructor"'].map((word) => Buffer.from(word));

const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** Lone surrogates have no UTF-8 encoding, so two different ids that contain one could be stored as the same text. */
const rejectLoneSurrogates = (key: string, value: unknown): unknown => {
  if (/\p{Surrogate}/u.test(key) || (typeof value === 'string' && /\p{Surrogate}/u.test(value)))
    throw new SyntaxError('the text contains a lone surrogate');
  return value;
};

const expectsContinue = /(?:^|\W)100-continue(?:$|\W)/i;

/** Call only when the body is about to be read: a caller whose request is rejected earlier need not send the body. */
const sendContinue = ({ request, response }: Pick<RequestContext, 'request' | 'response'>): void => {
  if (expectsContinue.test(request.headers.expect ?? '') && request.httpVersion !== '1.0') response.writeContinue();
};

/** Throws UNSUPPORTED_MEDIA_TYPE unless the content type matches and its charset, if present, is UTF-8. */
export const requireMediaType = (expected: string, header: string | undefined): void => {
  if (header === expected) return;
  const [type = '', ...parameters] = (header ?? '').split(';');
  if (type.trim().toLowerCase() !== expected)
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Content-Type must be ${expected}.`);
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() === 'charset' && !/^"?utf-?8"?$/i.test(value.trim()))
      throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The charset of the body must be UTF-8.');
  }
};

const tooLarge = (maxBytes: number): ApiError =>
  new ApiError('PAYLOAD_TOO_LARGE', `The body must be at most ${maxBytes} bytes.`);

const endedEarly = (cause?: unknown): ApiError =>
  new ApiError('INVALID_REQUEST', 'The body ended before it was complete.', { cause });

const holdBytes = (bodyLedger: CallerLedger, context: RequestContext, bytes: number): void => {
  bodyLedger.take(bytes, context.caller);
  context.heldBytes += bytes;
};

interface ReadLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly bodyLedger: CallerLedger;
}

const readBytes = (context: RequestContext, { maxBytes, timeoutMs, bodyLedger }: ReadLimits): Promise<Buffer> => {
  const { request } = context;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  // The caller has disconnected, so the listeners below would never be called.
  if (request.destroyed) return Promise.reject(endedEarly());
  sendContinue(context);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = () => {
      clearTimeout(timer);
      request.off('data', take).off('end', end).off('error', endEarly).off('close', endEarly);
    };
    const fail = (error: unknown) => {
      settle();
      request.on('error', () => undefined);
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const timer = setTimeout(() => fail(new BodyTimeout('The request took too long to arrive.')), timeoutMs);
    const take = (chunk: Buffer) => {
      length += chunk.length;
      try {
        if (length > maxBytes) throw tooLarge(maxBytes);
        holdBytes(bodyLedger, context, chunk.length);
      } catch (error) {
        fail(error);
        return;
      }
      chunks.push(chunk);
    };
    const end = () => {
      settle();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
    };
    const endEarly = () => fail(endedEarly());
    request.on('data', take).on('end', end).on('error', endEarly).on('close', endEarly);
  });
};

type Decompressor = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const [gzip, zlib, bare, brotli] = [gunzip, inflate, inflateRaw, brotliDecompress].map((work) =>
  promisify(work),
) as unknown as [Decompressor, Decompressor, Decompressor, Decompressor];

/** In HTTP, "deflate" means deflate with a zlib header (RFC 9110, 8.4.1.2), but some callers omit the header. */
const deflate: Decompressor = (bytes, options) => (((bytes[0] ?? 0) & 0x0f) === 8 ? zlib : bare)(bytes, options);

const decompressors: Readonly<Record<string, Decompressor>> = { gzip, 'x-gzip': gzip, deflate, br: brotli };

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

const decompressorOf = (header: string | undefined): Decompressor | undefined => {
  const coding = header?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return undefined;
  const found = Object.hasOwn(decompressors, coding) ? decompressors[coding] : undefined;
  if (!found) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding must be gzip, deflate or br.');
  return found;
};

/** The limit stops decompression bombs. */
const decompress = async (decompressor: Decompressor, bytes: Buffer, maxBytes: number): Promise<Buffer> => {
  try {
    return await decompressor(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    const message =
      'The body cannot be decompressed: it has another format than Content-Encoding names, or is damaged.';
    throw new ApiError('INVALID_REQUEST', message, { cause });
  }
};

/** See RFC 9112, section 6.3. */
export const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/** Compression slightly enlarges incompressible content. */
const compressionOverheadBytes = 65_536;

type BodyLimits = Pick<ServerContext, 'acquireBodySlot' | 'bodyLedger' | 'heavyBodies' | 'refusedBodies' | 'limits'>;

export const readBody = async (
  context: RequestContext,
  kind: keyof typeof mediaTypes,
  maxBytes: number,
  server: BodyLimits,
): Promise<void> => {
  const { headers } = context.request;
  const { caller } = context;
  const { bodyLedger, heavyBodies, limits } = server;
  requireMediaType(mediaTypes[kind], headers['content-type']);
  const decompressor = decompressorOf(headers['content-encoding']);
  const limit = decompressor ? maxBytes + compressionOverheadBytes : maxBytes;
  context.hasHeavyBody = isHeavyBody(headers);
  const releaseSlot = caller === undefined ? undefined : server.acquireBodySlot(caller);
  let bytes: Buffer;
  try {
    if (caller !== undefined && context.hasHeavyBody) await server.refusedBodies.throttleCaller(caller, context.signal);
    bytes = await readBytes(context, { maxBytes: limit, timeoutMs: limits.bodyTimeoutMs, bodyLedger });
  } finally {
    releaseSlot?.();
  }
  context.busyMs += estimateTransferMs(bytes.length);
  const decompressAndParse = async () => {
    if (decompressor) {
      // If decompression fails, the decompressed size is unknown, so the cost of the maximum size counts.
      const failedMs = estimateTransferMs(maxBytes);
      context.busyMs += failedMs;
      bytes = await decompress(decompressor, bytes, maxBytes);
      context.busyMs += estimateTransferMs(bytes.length) - failedMs;
      holdBytes(bodyLedger, context, bytes.length);
    }
    context.bodyBytes = bytes;
    const startedAt = performance.now();
    try {
      context.body = kind === 'json' ? parseJson(bytes) : parseForm(bytes);
    } finally {
      context.busyMs += performance.now() - startedAt;
    }
  };
  await (caller !== undefined && context.hasHeavyBody
    ? heavyBodies.run(caller, decompressAndParse)
    : decompressAndParse());
};

const parseForm = (bytes: Buffer) => {
  if (!isUtf8(bytes)) throw new ApiError('INVALID_REQUEST', 'The body is not valid UTF-8.');
  return parseFields(bytes.toString('utf8'));
};

/**
 * Waiting uses up a budget of `bodyIdleTimeoutMs`, which each byte refills by 1 / `bodyBytesPerMs` ms. Throws BodyTimeout when the budget
 * is used up, and INVALID_REQUEST if the body ends early.
 */
export async function* streamBody(
  context: RequestContext,
  { bodyIdleTimeoutMs, bodyBytesPerMs }: Pick<ServerLimits, 'bodyIdleTimeoutMs' | 'bodyBytesPerMs'>,
): AsyncGenerator<Buffer, void, void> {
  sendContinue(context);
  const chunks = context.request.iterator({ destroyOnReturn: false });
  let waitLeftMs = bodyIdleTimeoutMs;
  let waiting = false;
  try {
    for (;;) {
      waiting = true;
      const waitsFrom = performance.now();
      const piece = await withDeadline(chunks.next(), Math.max(1, waitLeftMs));
      waiting = false;
      if (piece.done === true) return;
      const chunk = piece.value as Buffer;
      const waitedMs = performance.now() - waitsFrom;
      waitLeftMs = Math.min(bodyIdleTimeoutMs, waitLeftMs - waitedMs + chunk.length / bodyBytesPerMs);
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof DeadlineExceeded)
      throw new BodyTimeout('The body stopped arriving, or arrived too slowly.', { cause });
    throw endedEarly(cause);
  } finally {
    // While a read is pending, `return()` would wait for the next chunk.
    if (!waiting) await chunks.return?.();
  }
}
