import { isUtf8 } from 'node:buffer';
import { ApiError } from '@popsvc/contracts/errors';
import type { ServerContext } from '../door.ts';
import type { RequestContext } from '../exchange.ts';
import { fieldsOf } from '../fields.ts';
import { inflated, inflaterOf } from './inflate.ts';
import { requireMediaType } from './media-type.ts';
import { parseJson } from './parse-json.ts';
import { hold, readBytes } from './read-bytes.ts';

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/** A packed body that is as large as its content may be is still read: packing random bytes adds a little. */
const packingOverheadBytes = 65_536;

/** Reads, unpacks and parses the body into the exchange. */
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
