import { type Position, TemplateError } from './syntax.ts';

/** A token inside of an action, the part of a template between `{{` and `}}`. */
export type Token = { readonly line: number } & (
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'dot' }
  /** `.a.b`; `attached` if no space separates it from the token before, as in `(…).a`. */
  | { readonly kind: 'fields'; readonly names: readonly string[]; readonly attached: boolean }
  /** `$name.a.b`; the variable `$` has an empty name. */
  | { readonly kind: 'variable'; readonly name: string; readonly names: readonly string[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'symbol'; readonly text: '|' | '(' | ')' | ',' | ':=' | '=' }
);

/** A template is a sequence of text and actions. Trim markers are already applied to the text. */
export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly tokens: readonly Token[]; readonly line: number };

/** The characters that trim markers remove, and that separate the tokens of an action. */
const isSpace = (char: string | undefined): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n';

const trimEnd = (text: string): string => text.replace(/[ \t\r\n]+$/, '');
const trimStart = (text: string): string => text.replace(/^[ \t\r\n]+/, '');

const fieldsPattern = /(?:\.[A-Za-z_][A-Za-z0-9_]*)+/y;
const variablePattern = /\$([A-Za-z0-9_]*)((?:\.[A-Za-z_][A-Za-z0-9_]*)*)/y;
const wordPattern = /[A-Za-z_][A-Za-z0-9_]*/y;
const integerPattern = /[+-]?(?:0|[1-9][0-9]*)(?![0-9A-Za-z_.])/y;
const stringPattern = /"(?:[^"\\\n]|\\[^\n])*"/y;
const rawStringPattern = /`[^`]*`/y;
const symbolPattern = /:=|[|(),=]/y;

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

const splitFields = (text: string): readonly string[] => text.split('.').filter((name) => name !== '');

/** Splits a template into text and actions. */
class Lexer {
  readonly #file: string;
  readonly #text: string;
  #at = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  readSegments(): readonly Segment[] {
    const segments: Segment[] = [];
    let trimsNext = false;
    for (;;) {
      const start = this.#text.indexOf('{{', this.#at);
      const trimsBefore = start !== -1 && this.#text[start + 2] === '-' && isSpace(this.#text[start + 3]);
      let text = this.#text.slice(this.#at, start === -1 ? undefined : start);
      if (trimsNext) text = trimStart(text);
      if (trimsBefore) text = trimEnd(text);
      if (text !== '') segments.push({ kind: 'text', text });
      if (start === -1) return segments;
      this.#at = start + (trimsBefore ? 3 : 2);
      const line = this.#line();
      const comment = this.#skipComment();
      if (comment) {
        trimsNext = comment.trimsNext;
        continue;
      }
      const { tokens, trimsNext: trims } = this.#readAction();
      segments.push({ kind: 'action', tokens, line });
      trimsNext = trims;
    }
  }

  #line(): number {
    return this.#position().line;
  }

  #position(): Position {
    let line = 1;
    for (let at = this.#text.indexOf('\n'); at !== -1 && at < this.#at; at = this.#text.indexOf('\n', at + 1))
      line += 1;
    return { file: this.#file, line };
  }

  #fail(reason: string): never {
    throw new TemplateError(this.#position(), reason);
  }

  /** Reads the end of an action if there is one at the current place. */
  #readEnd(): { trimsNext: boolean } | undefined {
    const trims = /[ \t\r\n]-\}\}/y;
    trims.lastIndex = this.#at;
    if (trims.test(this.#text)) {
      this.#at += 4;
      return { trimsNext: true };
    }
    if (!this.#text.startsWith('}}', this.#at)) return undefined;
    this.#at += 2;
    return { trimsNext: false };
  }

  /** Go allows a comment only directly after the delimiter or the trim marker and its space. */
  #skipComment(): { trimsNext: boolean } | undefined {
    const start = /[ \t\r\n]?\/\*/y;
    start.lastIndex = this.#at;
    const isTrimmed = this.#text[this.#at - 1] === '-';
    const opening = start.exec(this.#text)?.[0];
    if (opening === undefined || (opening.length === 3) !== isTrimmed) return undefined;
    const end = this.#text.indexOf('*/', this.#at + opening.length);
    if (end === -1) this.#fail('the comment has no end');
    this.#at = end + 2;
    return this.#readEnd() ?? this.#fail('a comment must be followed by `}}` or ` -}}`');
  }

  #readAction(): { tokens: readonly Token[]; trimsNext: boolean } {
    const tokens: Token[] = [];
    let separated = true;
    for (;;) {
      const end = this.#readEnd();
      if (end) return { tokens, ...end };
      if (this.#at >= this.#text.length) this.#fail('the action has no end');
      if (isSpace(this.#text[this.#at])) {
        this.#at += 1;
        separated = true;
        continue;
      }
      const token = this.#readToken(!separated);
      if (!separated && needsSpace(tokens.at(-1), token)) this.#fail('a space is missing between two arguments');
      tokens.push(token);
      separated = false;
    }
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (!match) return undefined;
    this.#at += match[0].length;
    return match;
  }

  #readToken(attached: boolean): Token {
    const line = this.#line();
    const fields = this.#match(fieldsPattern)?.[0];
    if (fields !== undefined) return { kind: 'fields', names: splitFields(fields), attached, line };
    const variable = this.#match(variablePattern);
    if (variable) return { kind: 'variable', name: variable[1] ?? '', names: splitFields(variable[2] ?? ''), line };
    const quoted = this.#match(stringPattern)?.[0];
    if (quoted !== undefined) return { kind: 'string', value: this.#unquote(quoted), line };
    const raw = this.#match(rawStringPattern)?.[0];
    if (raw !== undefined) return { kind: 'string', value: raw.slice(1, -1).replaceAll('\r', ''), line };
    const integer = this.#match(integerPattern)?.[0];
    if (integer !== undefined) return { kind: 'integer', value: BigInt(integer.replace(/^\+/, '')), line };
    const word = this.#match(wordPattern)?.[0];
    if (word !== undefined) return { kind: 'word', text: word, line };
    const symbol = this.#match(symbolPattern)?.[0];
    if (symbol !== undefined) return { kind: 'symbol', text: symbol as '|', line };
    if (this.#text[this.#at] === '.') {
      this.#at += 1;
      return { kind: 'dot', line };
    }
    return this.#fail(`unexpected ${JSON.stringify(this.#text[this.#at])}`);
  }

  #unquote(text: string): string {
    return text
      .slice(1, -1)
      .replace(/\\(.)/g, (_, char: string) => escapes[char] ?? this.#fail(`unsupported escape \\${char}`));
  }
}

/** Go requires a space between two arguments. Symbols and the fields of a value in parentheses need none. */
const needsSpace = (before: Token | undefined, token: Token): boolean => {
  if (before === undefined || before.kind === 'symbol')
    return before?.kind === 'symbol' && before.text === ')' && token.kind !== 'symbol' && token.kind !== 'fields';
  return token.kind !== 'symbol' || token.text === '(';
};

/** Splits a template into text and actions, with Go's rules for trim markers and comments. */
export const readSegments = (file: string, text: string): readonly Segment[] => new Lexer(file, text).readSegments();
