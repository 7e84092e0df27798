import { functions } from './functions.ts';
import {
  type Command,
  type Node,
  type Operand,
  type Pipeline,
  type Position,
  type Template,
  TemplateError,
} from './syntax.ts';
import { GoStruct, isList, isMap, isTrue, printValue, typeOf, type Value } from './values.ts';

/** Functions whose arguments are not all evaluated first, or that need the other templates. */
const special = new Set(['and', 'or', 'include']);

export const isFunction = (name: string): boolean => special.has(name) || functions.has(name);

const maxDepth = 100;

/** Runs one template. Each `include` runs in an execution of its own, because it sees none of the variables. */
class Execution {
  readonly #templates: ReadonlyMap<string, Template>;
  readonly #depth: number;
  /** Variables, the innermost last. `$` has an empty name. */
  readonly #variables: { name: string; value: Value }[];

  constructor(templates: ReadonlyMap<string, Template>, data: Value, depth: number) {
    this.#templates = templates;
    this.#depth = depth;
    this.#variables = [{ name: '', value: data }];
  }

  run(nodes: readonly Node[], dot: Value): string {
    let output = '';
    for (const node of nodes) {
      if (node.kind === 'text') output += node.text;
      else if (node.kind === 'action') output += this.#runAction(node.pipeline, dot);
      else if (node.kind === 'range') output += this.#runRange(node, dot);
      else output += this.#runCondition(node, dot);
    }
    return output;
  }

  #runAction(pipeline: Pipeline, dot: Value): string {
    const value = this.#evaluate(pipeline, dot);
    if (pipeline.variables.length === 0) return attempt(pipeline.at, () => printValue(value));
    this.#setVariables(pipeline, [value]);
    return '';
  }

  #setVariables({ variables, assigns }: Pipeline, values: readonly Value[]): void {
    variables.forEach((name, index) => {
      if (assigns) this.#variables.findLast((variable) => variable.name === name)!.value = values[index];
      else this.#variables.push({ name, value: values[index] });
    });
  }

  /** Calls `run` and then removes the variables that it declared. */
  #inScope(run: () => string): string {
    const count = this.#variables.length;
    const output = run();
    this.#variables.length = count;
    return output;
  }

  #runCondition({ kind, pipeline, body, otherwise }: Exclude<Node, { kind: 'text' | 'action' }>, dot: Value): string {
    return this.#inScope(() => {
      const value = this.#evaluate(pipeline, dot);
      this.#setVariables(pipeline, [value]);
      if (!isTrue(value)) return this.run(otherwise, dot);
      return this.run(body, kind === 'with' ? value : dot);
    });
  }

  #runRange({ pipeline, body, otherwise }: Exclude<Node, { kind: 'text' | 'action' }>, dot: Value): string {
    const value = this.#evaluate(pipeline, dot);
    const entries = entriesOf(value);
    if (entries === undefined) throw new TemplateError(pipeline.at, `range cannot iterate over ${typeOf(value)}`);
    if (entries.length === 0) return this.#inScope(() => this.run(otherwise, dot));
    const runs = entries.map(([key, element]) =>
      this.#inScope(() => {
        this.#setVariables(pipeline, pipeline.variables.length === 2 ? [key, element] : [element]);
        return this.run(body, element);
      }),
    );
    return runs.join('');
  }

  #evaluate({ commands }: Pipeline, dot: Value): Value {
    const [first, ...others] = commands;
    let value = this.#call(first!, dot, []);
    for (const command of others) value = this.#call(command, dot, [value]);
    return value;
  }

  /** Evaluates a command; `piped` is empty or contains the result of the command before it. */
  #call({ at, first, rest }: Command, dot: Value, piped: readonly Value[]): Value {
    if (first.kind !== 'function') {
      if (piped.length > 0) throw new TemplateError(at, 'only a function can be the target of a pipe');
      return this.#valueOf(first, dot);
    }
    const { name } = first;
    if (name === 'and' || name === 'or') return this.#callLogical(name, at, rest, dot, piped);
    const args = [...rest.map((operand) => this.#valueOf(operand, dot)), ...piped];
    if (name === 'include') return this.#include(at, args);
    const { min, max, call } = functions.get(name)!;
    if (args.length < min || args.length > max)
      throw new TemplateError(at, `${name} does not take ${args.length} arguments`);
    return attempt(at, () => call(...args));
  }

  /** Like Go, evaluates only as many arguments as the result needs. */
  #callLogical(
    name: 'and' | 'or',
    at: Position,
    operands: readonly Operand[],
    dot: Value,
    piped: readonly Value[],
  ): Value {
    const readers = [...operands.map((one) => () => this.#valueOf(one, dot)), ...piped.map((value) => () => value)];
    if (readers.length === 0) throw new TemplateError(at, `${name} needs arguments`);
    let value: Value;
    for (const read of readers) {
      value = read();
      if (isTrue(value) === (name === 'or')) break;
    }
    return value;
  }

  #include(at: Position, args: readonly Value[]): string {
    const [name, data] = args;
    if (args.length !== 2 || typeof name !== 'string') throw new TemplateError(at, 'include needs a name and a value');
    const template = this.#templates.get(name);
    if (!template) throw new TemplateError(at, `no template is named ${name}`);
    if (this.#depth >= maxDepth) throw new TemplateError(at, `${name} includes itself`);
    return new Execution(this.#templates, data, this.#depth + 1).run(template.nodes, data);
  }

  #valueOf(operand: Operand, dot: Value): Value {
    switch (operand.kind) {
      case 'literal':
        return operand.value;
      case 'nil':
        return undefined;
      case 'dot':
        return readFields(operand.at, dot, operand.fields);
      case 'variable':
        return readFields(
          operand.at,
          this.#variables.findLast(({ name }) => name === operand.name)!.value,
          operand.fields,
        );
      case 'pipeline':
        return readFields(operand.at, this.#evaluate(operand.pipeline, dot), operand.fields);
      case 'function':
        return this.#call({ at: operand.at, first: operand, rest: [] }, dot, []);
    }
  }
}

/** Adds the position to an error of a function. */
const attempt = <Result>(at: Position, run: () => Result): Result => {
  try {
    return run();
  } catch (error) {
    if (error instanceof TemplateError || !(error instanceof Error)) throw error;
    throw new TemplateError(at, error.message);
  }
};

const readFields = (at: Position, value: Value, names: readonly string[]): Value =>
  names.reduce<Value>((parent, name) => {
    if (parent instanceof GoStruct) {
      if (!Object.hasOwn(parent.fields, name)) throw new TemplateError(at, `the field ${name} is not supported`);
      return parent.fields[name];
    }
    if (!isMap(parent)) throw new TemplateError(at, `${typeOf(parent)} has no field ${name}`);
    return Object.hasOwn(parent, name) ? parent[name] : undefined;
  }, value);

/** Keys and elements in Go's order: maps are sorted by key. */
const entriesOf = (value: Value): readonly (readonly [Value, Value])[] | undefined => {
  if (value === undefined || value === null) return [];
  if (isList(value)) return value.map((element, index) => [BigInt(index), element]);
  if (!isMap(value)) return undefined;
  return Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
};

/** Runs a template with a value as its data, and returns the output. Throws TemplateError. */
export const executeTemplate = (templates: ReadonlyMap<string, Template>, name: string, data: Value): string => {
  const template = templates.get(name);
  if (!template) throw new Error(`no template is named ${name}`);
  return new Execution(templates, data, 0).run(template.nodes, data);
};
