/** A place in a template file. */
export interface Position {
  readonly file: string;
  /** The first line is 1. */
  readonly line: number;
}

/** A template is invalid, or uses something that this renderer does not implement. The message begins with file and line. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor({ file, line }: Position, reason: string) {
    super(`${file}:${line}: ${reason}`);
  }
}

/** An argument of a command. */
export type Operand = { readonly at: Position } & (
  | { readonly kind: 'dot'; readonly fields: readonly string[] }
  | { readonly kind: 'variable'; readonly name: string; readonly fields: readonly string[] }
  | { readonly kind: 'literal'; readonly value: string | bigint | boolean }
  | { readonly kind: 'nil' }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'pipeline'; readonly pipeline: Pipeline; readonly fields: readonly string[] }
);

/** A value, or a function with its arguments. */
export interface Command {
  readonly at: Position;
  readonly first: Operand;
  readonly rest: readonly Operand[];
}

/** Commands, each of which receives the result of the one before as its last argument. */
export interface Pipeline {
  readonly at: Position;
  /** Variables that receive the result; two of them only in `range`. */
  readonly variables: readonly string[];
  /** `=`, in contrast to `:=`, sets a variable that exists. */
  readonly assigns: boolean;
  readonly commands: readonly Command[];
}

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with' | 'range';
      readonly pipeline: Pipeline;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

/** A file, or a `define`. */
export interface Template {
  readonly name: string;
  readonly nodes: readonly Node[];
}
