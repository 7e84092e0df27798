import { StringDecoder } from 'node:string_decoder';
import { Transform } from 'node:stream';

/** Terminals execute sequences that begin with some control characters, such as ESC and CSI. */
const controlCharacters = /\p{Cc}/gu;
const controlCharactersInLines = /(?![\n\t])\p{Cc}/gu;

const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Keeps line feeds and tabs. The escapes are also valid in JSON strings. */
export const escapeText = (text: string): string => text.replace(controlCharactersInLines, escapeCharacter);

export const escapeCell = (text: string): string => text.replace(controlCharacters, escapeCharacter);

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
