import secure from 'secure-json-parse';
import { isUtf8 } from 'node:buffer';
import { ApiError } from '@popsvc/contracts/errors';
import { mostLevels } from '../row-readers/json.ts';

const [quote, backslash] = [0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Measurements of JSON text before it is parsed. */
interface JsonMeasurements {
  /** Nesting depth. */
  readonly depth: number;
  /** Number of arrays and objects. Each occupies many times its two bytes of text. */
  readonly containers: number;
}

/** Measures JSON text and stops as soon as a limit is exceeded. Does not validate the text. */
const measureJson = (bytes: Uint8Array, jsonLimits: JsonMeasurements): JsonMeasurements => {
  let [level, depth, containers] = [0, 0, 0];
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
  }
  return { depth, containers };
};

const jsonLimits = { depth: mostLevels, containers: 250_000 };

/** Parses untrusted JSON: valid UTF-8, limited nesting, complete surrogate pairs, and no key that reaches a prototype. */
export const parseJson = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes)) throw new ApiError('INVALID_REQUEST', 'The body is not valid UTF-8.');
  const { depth, containers } = measureJson(bytes, jsonLimits);
  if (depth > jsonLimits.depth)
    throw new ApiError('INVALID_REQUEST', `The body is nested deeper than ${jsonLimits.depth} levels.`);
  if (containers > jsonLimits.containers)
    throw new ApiError('INVALID_REQUEST', `The body holds more than ${jsonLimits.containers} lists and objects.`);
  const text = bytes.toString('utf8', startsWithByteOrderMark(bytes) ? 3 : 0);
  try {
    if (!suspiciousBytes.some((word) => bytes.includes(word))) return JSON.parse(text);
    const reviver = surrogateEscape.test(text) ? rejectHalfSurrogates : null;
    return secure.parse(text, reviver, { protoAction: 'error', constructorAction: 'error' });
  } catch (cause) {
    throw new ApiError('INVALID_REQUEST', isValidJson(text) ? rejectedContentMessage : 'The body is not valid JSON.', {
      cause,
    });
  }
};

const rejectedContentMessage =
  'The body holds half a character, or a key that is not kept (__proto__, constructor with prototype).';

/** Tells apart invalid JSON from JSON that is rejected for its content. */
const isValidJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const startsWithByteOrderMark = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/**
 * Text without any of these cannot contain a prototype key or half a surrogate pair. Searching bytes is cheaper than searching
 * text, and cheapest for a rare first byte.
 */
const suspiciousBytes = ['\\u', '__proto__"', 'constructor"'].map((word) => Buffer.from(word));

const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** Half a surrogate pair has no UTF-8 encoding: two different ids would be stored as one. */
const rejectHalfSurrogates = (key: string, value: unknown): unknown => {
  if (/\p{Surrogate}/u.test(key) || (typeof value === 'string' && /\p{Surrogate}/u.test(value)))
    throw new SyntaxError('half a surrogate pair');
  return value;
};
