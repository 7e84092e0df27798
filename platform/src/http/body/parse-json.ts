import { isUtf8 } from 'node:buffer';
import { ApiError } from '@popsvc/contracts/errors';
import secure from 'secure-json-parse';
import { mostLevels } from '../../row-readers/json.ts';
import { outlineOf } from './outline-of.ts';

const limits = { depth: mostLevels, containers: 250_000 };

/** A JSON value from bytes nobody vouches for: UTF-8, not deep, whole characters only, and no key that reaches a prototype. */
export const parseJson = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes)) throw new ApiError('INVALID_REQUEST', 'The body is not valid UTF-8.');
  const { depth, containers } = outlineOf(bytes, limits);
  if (depth > limits.depth)
    throw new ApiError('INVALID_REQUEST', `The body is nested deeper than ${limits.depth} levels.`);
  if (containers > limits.containers)
    throw new ApiError('INVALID_REQUEST', `The body holds more than ${limits.containers} lists and objects.`);
  const text = bytes.toString('utf8', startsWithMark(bytes) ? 3 : 0);
  try {
    if (!suspicious.some((word) => bytes.includes(word))) return JSON.parse(text);
    const reviver = mayHoldHalfCharacters.test(text) ? refuseHalfCharacters : null;
    return secure.parse(text, reviver, { protoAction: 'error', constructorAction: 'error' });
  } catch (cause) {
    throw new ApiError('INVALID_REQUEST', isJson(text) ? notKept : 'The body is not valid JSON.', { cause });
  }
};

const notKept = 'The body holds half a character, or a key that is not kept (__proto__, constructor with prototype).';

/** Its sender would look for a comma in vain. */
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const startsWithMark = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/**
 * Without one of these no key can reach a prototype and no character be half: a search of bytes is cheaper than one of text, and
 * cheapest for what begins with a byte that is rare.
 */
const suspicious = ['\\u', '__proto__"', 'constructor"'].map((word) => Buffer.from(word));

const mayHoldHalfCharacters = /\\u[dD][89a-fA-F]/;

/** Half a surrogate pair cannot be written as UTF-8: two different ids would be stored as one. */
const refuseHalfCharacters = (key: string, value: unknown): unknown => {
  if (/\p{Surrogate}/u.test(key) || (typeof value === 'string' && /\p{Surrogate}/u.test(value)))
    throw new SyntaxError('half a surrogate pair');
  return value;
};
