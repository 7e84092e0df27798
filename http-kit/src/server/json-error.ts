export interface JsonError {
  /** What is wrong, at which line and column, both from 1. */
  readonly message: string;
  readonly excerpt: string;
}

/** Returns undefined if the text is valid JSON. */
export const findJsonError = (text: string): JsonError | undefined => {
  const at = findErrorOffset(text);
  if (at === undefined) return undefined;
  const lines = text.slice(0, at).split('\n');
  const place = `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
  const character = text.slice(at, at + 2).match(/./su)?.[0];
  const what = character === undefined ? 'it ends too early' : `unexpected ${JSON.stringify(character)}`;
  return { message: `${what} at ${place}`, excerpt: excerptAround(text, at) };
};

const excerptSideLength = 20;

const excerptAround = (text: string, at: number): string => {
  const [from, to] = [Math.max(0, at - excerptSideLength), at + excerptSideLength];
  const cut = text
    .slice(from, to)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Surrogate}/gu, '');
  return `\`${from > 0 ? '…' : ''}${cut}${to < text.length ? '…' : ''}\``;
};

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'separator';

const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Returns the offset of the first error, which may be the length of the text; undefined if the text is valid. */
const findErrorOffset = (text: string): number | undefined => {
  const closers: ('}' | ']')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const close = () => {
    closers.pop();
    expected = 'separator';
    at += 1;
  };
  for (;;) {
    at = skipWhitespace(text, at);
    const character = text[at];
    if (character === undefined) return expected === 'separator' && closers.length === 0 ? undefined : at;
    if (expected === 'separator') {
      if (closers.length === 0) return at;
      if (character === closers.at(-1)) close();
      else if (character === ',') {
        expected = closers.at(-1) === '}' ? 'key' : 'value';
        at += 1;
      } else return at;
    } else if (expected === 'colon') {
      if (character !== ':') return at;
      expected = 'value';
      at += 1;
    } else if ((expected === 'value or end' && character === ']') || (expected === 'key or end' && character === '}')) {
      close();
    } else if (character === '"') {
      const string = readString(text, at);
      at = string.end;
      if (!string.isValid) return at;
      expected = expected.startsWith('key') ? 'colon' : 'separator';
    } else if (expected.startsWith('key')) {
      return at;
    } else if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']');
      expected = character === '{' ? 'key or end' : 'value or end';
      at += 1;
    } else {
      literal.lastIndex = at;
      if (!literal.test(text)) return at;
      at = literal.lastIndex;
      expected = 'separator';
    }
  }
};

const whitespace = ' \t\n\r';

const skipWhitespace = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && whitespace.includes(text[at]!)) at += 1;
  return at;
};

const escape = /\\(?:["\\/]|b|f|n|r|t|u[\da-fA-F]{4})/y;

/** `end`: the offset after the string or, if the string is not valid, of the error. */
const readString = (text: string, from: number): { readonly end: number; readonly isValid: boolean } => {
  let at = from + 1;
  while (at < text.length) {
    const character = text[at]!;
    if (character === '"') return { end: at + 1, isValid: true };
    if (character < ' ') return { end: at, isValid: false };
    if (character === '\\') {
      escape.lastIndex = at;
      if (!escape.test(text)) return { end: at, isValid: false };
      at = escape.lastIndex;
    } else at += 1;
  }
  return { end: at, isValid: false };
};
