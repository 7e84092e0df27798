import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { ApiError } from '@popsvc/contracts/errors';
import { BodyTimeout } from '../endpoints/errors.ts';
import { DeadlineExceeded, withDeadline } from '../runtime/index.ts';
import { parseJson } from './json-body.ts';
import type { ByteBudget } from './load-shedding.ts';
import { fieldsOf, type RequestContext } from './request-context.ts';
import type { ServerContext } from './server-context.ts';

const waits = /(?:^|\W)100-continue(?:$|\W)/i;

/** Answers `Expect: 100-continue` when the body is about to be read. A rejected request does not need to send its body. */
const invite = ({ request, response }: Pick<RequestContext, 'request' | 'response'>): void => {
  if (waits.test(request.headers.expect ?? '') && request.httpVersion !== '1.0') response.writeContinue();
};

/** Throws UNSUPPORTED_MEDIA_TYPE unless the content type matches and its charset, if present, is UTF-8. */
export const requireMediaType = (due: string, header: string | undefined): void => {
  if (header === due) return;
  const [type = '', ...parameters] = (header ?? '').split(';');
  if (type.trim().toLowerCase() !== due) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Content-Type must be ${due}.`);
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() === 'charset' && !/^"?utf-?8"?$/i.test(value.trim()))
      throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The charset of the body must be UTF-8.');
  }
};

/** The owner of bytes counted in the server's byte budget. */
interface Holder {
  heldBytes: number;
}

const tooLarge = (maxBytes: number): ApiError =>
  new ApiError('PAYLOAD_TOO_LARGE', `The body must be at most ${maxBytes} bytes.`);

/** Counts bytes in the server's budget, or throws UNAVAILABLE when the budget is exhausted. */
const hold = (budget: ByteBudget, holder: Holder, bytes: number): void => {
  if (!budget.take(bytes)) throw new ApiError('UNAVAILABLE', 'The service is busy; try again.');
  holder.heldBytes += bytes;
};

interface Reading {
  readonly maxBytes: number;
  readonly withinMs: number;
  readonly budget: ByteBudget;
}

/** Reads the body as sent, at most `maxBytes`. Rejects at once when Content-Length exceeds the limit. */
const readBytes = (exchange: RequestContext, { maxBytes, withinMs, budget }: Reading): Promise<Buffer> => {
  const { request } = exchange;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  invite(exchange);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = () => {
      clearTimeout(timer);
      request.off('data', take).off('end', end).off('error', cut).off('close', cut);
    };
    const refuse = (error: unknown) => {
      settle();
      request.on('error', () => undefined);
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const timer = setTimeout(() => refuse(new BodyTimeout('The request took too long to arrive.')), withinMs);
    const take = (chunk: Buffer) => {
      length += chunk.length;
      try {
        if (length > maxBytes) throw tooLarge(maxBytes);
        hold(budget, exchange, chunk.length);
      } catch (error) {
        refuse(error);
        return;
      }
      chunks.push(chunk);
    };
    const end = () => {
      settle();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
    };
    const cut = () => refuse(new ApiError('INVALID_REQUEST', 'The body ended early.'));
    request.on('data', take).on('end', end).on('error', cut).on('close', cut);
  });
};

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const [gzip, zlib, bare, brotli] = [gunzip, inflate, inflateRaw, brotliDecompress].map((work) =>
  promisify(work),
) as unknown as [Inflate, Inflate, Inflate, Inflate];

/** HTTP's "deflate" has a zlib header (RFC 9110, 8.4.1.2), but some senders omit it. */
const deflate: Inflate = (bytes, options) => (((bytes[0] ?? 0) & 0x0f) === 8 ? zlib : bare)(bytes, options);

const codings: Readonly<Record<string, Inflate>> = { gzip, 'x-gzip': gzip, deflate, br: brotli };

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Returns the decompressor for a Content-Encoding; undefined for an uncompressed body. */
const inflaterOf = (header: string | undefined): Inflate | undefined => {
  const coding = header?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return undefined;
  const found = Object.hasOwn(codings, coding) ? codings[coding] : undefined;
  if (!found) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding must be gzip, deflate or br.');
  return found;
};

/** Decompresses a body and stops at the limit, so that a decompression bomb never occupies more memory than `maxBytes`. */
const inflated = async (unpack: Inflate, bytes: Buffer, maxBytes: number): Promise<Buffer> => {
  try {
    return await unpack(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new ApiError('INVALID_REQUEST', 'The body cannot be decompressed.', { cause });
  }
};

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/** Allowance for compressed bodies: compressing incompressible content adds some bytes. */
const packingOverheadBytes = 65_536;

/** Reads, decompresses and parses the body into the request context. */
export const readBody = async (
  exchange: RequestContext,
  kind: keyof typeof mediaTypes,
  maxBytes: number,
  { budget, limits }: Pick<ServerContext, 'budget' | 'limits'>,
): Promise<void> => {
  const { headers } = exchange.request;
  requireMediaType(mediaTypes[kind], headers['content-type']);
  const unpack = inflaterOf(headers['content-encoding']);
  const limit = unpack ? maxBytes + packingOverheadBytes : maxBytes;
  let bytes = await readBytes(exchange, { maxBytes: limit, withinMs: limits.bodyTimeoutMs, budget });
  if (unpack) {
    bytes = await inflated(unpack, bytes, maxBytes);
    hold(budget, exchange, bytes.length);
  }
  exchange.bodyBytes = bytes;
  exchange.body = kind === 'json' ? parseJson(bytes) : formOf(bytes);
};

const formOf = (bytes: Buffer) => {
  if (!isUtf8(bytes)) throw new ApiError('INVALID_REQUEST', 'The body is not valid UTF-8.');
  return fieldsOf(bytes.toString('utf8'));
};

/** Streams the request body with backpressure. Throws BodyTimeout when no data arrives for `idleTimeoutMs`. */
export async function* bodyChunks(exchange: RequestContext, idleMs: number): AsyncGenerator<Buffer, void, void> {
  invite(exchange);
  const pieces = exchange.request.iterator({ destroyOnReturn: false });
  let waiting = false;
  try {
    for (;;) {
      waiting = true;
      const piece = await withDeadline(pieces.next(), idleMs);
      waiting = false;
      if (piece.done === true) return;
      yield piece.value as Buffer;
    }
  } catch (cause) {
    if (cause instanceof DeadlineExceeded) throw new BodyTimeout('The body stopped coming.', { cause });
    throw new ApiError('INVALID_REQUEST', 'The body ended early.', { cause });
  } finally {
    // The rest of the body is drained when the response is sent. A pending iterator must not be awaited: `return()` would wait
    // for the next chunk.
    if (!waiting) await pieces.return?.();
  }
}
