import { readSegments, type Segment, type Token } from './lexer.ts';
import {
  type Command,
  type Node,
  type Operand,
  type Pipeline,
  type Position,
  type Template,
  TemplateError,
} from './syntax.ts';

type Action = Extract<Segment, { kind: 'action' }>;

/** Keywords of Go's templates that this renderer does not implement. */
const unsupported = new Set(['template', 'block', 'break', 'continue']);

const keywordOf = (action: Action): string => {
  const [first] = action.tokens;
  return first?.kind === 'word' ? first.text : '';
};

/** What ends a list of nodes. */
interface Ending {
  readonly kind: 'end' | 'else' | 'file';
  readonly action?: Action;
}

class Parser {
  readonly #file: string;
  readonly #segments: readonly Segment[];
  readonly #isFunction: (name: string) => boolean;
  readonly #defined: Template[] = [];
  /** Variables in scope, the innermost last. */
  #scope: string[] = [''];
  #at = 0;

  constructor(file: string, text: string, isFunction: (name: string) => boolean) {
    this.#file = file;
    this.#segments = readSegments(file, text);
    this.#isFunction = isFunction;
  }

  parse(): readonly Template[] {
    const { nodes, ending } = this.#parseList();
    if (ending.kind !== 'file') this.#fail(ending.action!.line, `unexpected {{${ending.kind}}}`);
    return [{ name: this.#file, nodes }, ...this.#defined];
  }

  #fail(line: number, reason: string): never {
    throw new TemplateError({ file: this.#file, line }, reason);
  }

  #position(line: number): Position {
    return { file: this.#file, line };
  }

  /** Parses nodes up to the `end` or `else` of the list, or to the end of the file. */
  #parseList(): { nodes: readonly Node[]; ending: Ending } {
    const nodes: Node[] = [];
    for (;;) {
      const segment = this.#segments[this.#at++];
      if (segment === undefined) return { nodes, ending: { kind: 'file' } };
      if (segment.kind === 'text') {
        nodes.push(segment);
        continue;
      }
      const keyword = keywordOf(segment);
      if (keyword === 'end' && segment.tokens.length > 1) this.#fail(segment.line, 'unexpected text in {{end}}');
      if (keyword === 'end' || keyword === 'else') return { nodes, ending: { kind: keyword, action: segment } };
      if (keyword === 'define') this.#parseDefine(segment);
      else if (keyword === 'if' || keyword === 'with' || keyword === 'range')
        nodes.push(this.#parseControl(keyword, segment, segment.tokens.slice(1)));
      else if (unsupported.has(keyword)) this.#fail(segment.line, `{{${keyword}}} is not supported`);
      else nodes.push({ kind: 'action', pipeline: this.#parsePipeline(segment.tokens, segment.line, 1) });
    }
  }

  #parseDefine({ tokens, line }: Action): void {
    const [, name, ...others] = tokens;
    if (name?.kind !== 'string' || others.length > 0) this.#fail(line, '{{define}} needs one name in quotes');
    const outer = this.#scope;
    this.#scope = [''];
    const { nodes, ending } = this.#parseList();
    if (ending.kind !== 'end') this.#fail(line, `{{define "${name.value}"}} has no {{end}}`);
    this.#scope = outer;
    this.#defined.push({ name: name.value, nodes });
  }

  #parseControl(kind: 'if' | 'with' | 'range', { line }: Action, tokens: readonly Token[]): Node {
    const outer = this.#scope;
    this.#scope = [...outer];
    const pipeline = this.#parsePipeline(tokens, line, kind === 'range' ? 2 : 1);
    const inner = this.#scope;
    this.#scope = [...inner];
    const { nodes: body, ending } = this.#parseList();
    this.#scope = [...inner];
    const otherwise = ending.kind === 'else' ? this.#parseElse(kind, line, ending.action!) : [];
    if (ending.kind === 'file') this.#fail(line, `{{${kind}}} has no {{end}}`);
    this.#scope = outer;
    return { kind, pipeline, body, otherwise };
  }

  /** Parses what follows `else`. `else if` and `else with` are controls of their own that share the `end`. */
  #parseElse(kind: 'if' | 'with' | 'range', line: number, { tokens, line: elseLine }: Action): readonly Node[] {
    const [, second] = tokens;
    if (second !== undefined) {
      if (second.kind !== 'word' || second.text !== kind || kind !== 'if')
        this.#fail(elseLine, `only {{else}} is supported here, and {{else if}} in {{if}}`);
      return [this.#parseControl('if', { kind: 'action', tokens, line: elseLine }, tokens.slice(2))];
    }
    const { nodes, ending } = this.#parseList();
    if (ending.kind !== 'end') this.#fail(line, `{{${kind}}} has no {{end}}`);
    return nodes;
  }

  /** Parses the tokens of an action, or those within parentheses. */
  #parsePipeline(tokens: readonly Token[], line: number, maxVariables: number): Pipeline {
    const { variables, assigns, rest } = this.#splitVariables(tokens, line, maxVariables);
    const commands = splitAt(rest, '|').map((part) => this.#parseCommand(part, line));
    if (!assigns) this.#scope.push(...variables);
    return { at: this.#position(line), variables, assigns, commands };
  }

  #splitVariables(tokens: readonly Token[], line: number, maxVariables: number) {
    const sign = tokens.findIndex(
      ({ kind, ...token }) => kind === 'symbol' && /^:?=$/.test((token as { text: string }).text),
    );
    if (sign === -1) return { variables: [], assigns: false, rest: tokens };
    const names = splitAt(tokens.slice(0, sign), ',').map(([token, ...others]) =>
      token?.kind === 'variable' && token.name !== '' && token.names.length === 0 && others.length === 0
        ? token.name
        : this.#fail(line, 'only variables can be assigned'),
    );
    if (names.length > maxVariables) this.#fail(line, 'too many variables are assigned');
    const assigns = (tokens[sign] as { text: string }).text === '=';
    if (assigns) for (const name of names) this.#requireVariable(name, line);
    return { variables: names, assigns, rest: tokens.slice(sign + 1) };
  }

  #requireVariable(name: string, line: number): void {
    if (!this.#scope.includes(name)) this.#fail(line, `undefined variable $${name}`);
  }

  #parseCommand(tokens: readonly Token[], line: number): Command {
    const operands: Operand[] = [];
    for (let at = 0; at < tokens.length;) {
      const { operand, next } = this.#parseOperand(tokens, at);
      operands.push(operand);
      at = next;
    }
    const [first, ...rest] = operands;
    if (!first) this.#fail(line, 'a value is missing');
    if (rest.length > 0 && first.kind !== 'function') this.#fail(line, 'only a function takes arguments');
    return { at: this.#position(line), first, rest };
  }

  #parseOperand(tokens: readonly Token[], start: number): { operand: Operand; next: number } {
    const token = tokens[start]!;
    const at = this.#position(token.line);
    const one = (operand: Operand) => ({ operand, next: start + 1 });
    switch (token.kind) {
      case 'dot':
        return one({ kind: 'dot', fields: [], at });
      case 'fields':
        return one({ kind: 'dot', fields: token.names, at });
      case 'variable':
        this.#requireVariable(token.name, token.line);
        return one({ kind: 'variable', name: token.name, fields: token.names, at });
      case 'string':
      case 'integer':
        return one({ kind: 'literal', value: token.value, at });
      case 'word':
        return one(this.#parseWord(token.text, at));
      case 'symbol':
        if (token.text !== '(') this.#fail(token.line, `unexpected ${token.text}`);
        return this.#parseParentheses(tokens, start, at);
    }
  }

  #parseWord(word: string, at: Position): Operand {
    if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true', at };
    if (word === 'nil') return { kind: 'nil', at };
    if (!this.#isFunction(word)) throw new TemplateError(at, `the function ${word} is not supported`);
    return { kind: 'function', name: word, at };
  }

  #parseParentheses(tokens: readonly Token[], start: number, at: Position): { operand: Operand; next: number } {
    let depth = 0;
    const end = tokens.findIndex((token, index) => {
      if (index < start || token.kind !== 'symbol') return false;
      depth += token.text === '(' ? 1 : token.text === ')' ? -1 : 0;
      return depth === 0;
    });
    if (end === -1) this.#fail(at.line, 'a parenthesis is not closed');
    const pipeline = this.#parsePipeline(tokens.slice(start + 1, end), at.line, 0);
    const after = tokens[end + 1];
    const isChain = after?.kind === 'fields' && after.attached;
    return {
      operand: { kind: 'pipeline', pipeline, fields: isChain ? after.names : [], at },
      next: end + (isChain ? 2 : 1),
    };
  }
}

/** Splits tokens at a symbol that is outside of parentheses. */
const splitAt = (tokens: readonly Token[], symbol: '|' | ','): readonly (readonly Token[])[] => {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === 'symbol' && token.text === '(') depth += 1;
    if (token.kind === 'symbol' && token.text === ')') depth -= 1;
    if (depth === 0 && token.kind === 'symbol' && token.text === symbol) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts;
};

/**
 * Parses a file. The first template is the file itself; the others are its `define`s. Throws TemplateError if the file is invalid or
 * is outside the supported subset (ADR 0026), such as a function for which `isFunction` is false.
 */
export const parseTemplates = (
  file: string,
  text: string,
  isFunction: (name: string) => boolean,
): readonly Template[] => new Parser(file, text, isFunction).parse();
