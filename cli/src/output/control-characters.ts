import { StringDecoder } from 'node:string_decoder';
import { Transform } from 'node:stream';

/** The control characters of Unicode (category Cc). Terminals execute sequences that begin with some of them, such as ESC and CSI. */
const controlCharacters = /\p{Cc}/gu;
const controlCharactersInLines = /(?![\n\t])\p{Cc}/gu;

const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Replaces control characters, except line feeds and tabs, with escapes such as `\u001b`, which are also valid in JSON strings.
 * Texts from vendors may contain such characters, and a terminal would execute them.
 */
export const escapeText = (text: string): string => text.replace(controlCharactersInLines, escapeCharacter);

/** Replaces all control characters in a cell of a table with escapes such as `\u001b`, including line feeds and tabs. */
export const escapeCell = (text: string): string => text.replace(controlCharacters, escapeCharacter);

/** Escapes control characters in a stream of UTF-8, except line feeds and tabs. */
export const createEscapingTransform = (): Transform => {
  const decoder = new StringDecoder('utf8');
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, escapeText(decoder.write(chunk)));
    },
    flush(done) {
      done(null, escapeText(decoder.end()));
    },
  });
};
