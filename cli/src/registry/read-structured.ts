import { readFile } from 'node:fs/promises';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { Failure } from '../program/failure.ts';

/** A YAML or JSON file, and where in it things stand. */
export interface StructuredFile {
  readonly value: unknown;
  /** `file:line:column` of a path such as `devices[3].location`, or of the nearest thing around it. */
  readonly locate: (path: string) => string;
}

/** `.json` is JSON; anything else is YAML. Text that cannot be read is a Failure that names line and column. */
export const readStructured = async (path: string): Promise<StructuredFile> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${(error as Error).message}`);
  }
  let parsed: Parsed | undefined;
  const document = () => (parsed ??= parse(text));
  return {
    value: /\.json$/i.test(path) ? fromJson(path, text) : fromYaml(path, document()),
    locate(at) {
      const { found, lines } = document();
      const steps = [...at.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) =>
        index === undefined ? step : Number(index),
      );
      for (let depth = steps.length; depth >= 0; depth--) {
        const node: unknown = found.getIn(steps.slice(0, depth), true);
        if (isNode(node) && node.range) return placed(path, lines, node.range[0]);
      }
      return path;
    },
  };
};

interface Parsed {
  readonly found: ReturnType<typeof parseDocument>;
  readonly lines: LineCounter;
}

const parse = (text: string): Parsed => {
  const lines = new LineCounter();
  return { found: parseDocument(text, { lineCounter: lines, prettyErrors: false }), lines };
};

const placed = (path: string, lines: LineCounter, offset: number): string => {
  const { line, col } = lines.linePos(offset);
  return `${path}:${line}:${col}`;
};

const fromYaml = (path: string, { found, lines }: Parsed): unknown => {
  const [error] = found.errors;
  if (error) throw new Failure(`${placed(path, lines, error.pos[0])}: ${error.message}`);
  try {
    return found.toJS();
  } catch (cause) {
    // An alias of nothing, or aliases of aliases that would fill the memory.
    throw new Failure(`${path} cannot be read: ${(cause as Error).message}`);
  }
};

const fromJson = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
    const before = text.slice(0, offset).split('\n');
    throw new Failure(`${path}:${before.length}:${before.at(-1)!.length + 1}: ${message}`);
  }
};
