import { isNode, LineCounter, parseDocument } from 'yaml';
import { CliError } from '../output/cli-error.ts';
import { readTextFile } from './text-file.ts';

export interface StructuredFile {
  readonly value: unknown;
  /** Returns `file:line:column` of a field such as `devices[3].location`, or of the nearest enclosing field in the file. */
  readonly locate: (path: string) => string;
}

/** Throws a CliError if the file cannot be read or parsed. */
export const readStructuredFile = async (path: string): Promise<StructuredFile> => {
  const text = await readTextFile(path);
  let cached: ParsedYaml | undefined;
  // JSON is a subset of YAML, so the YAML parser can also locate fields in JSON files.
  const parsed = () => (cached ??= parseYaml(text));
  return {
    value: /\.json$/i.test(path) ? valueOfJson(path, text) : valueOfYaml(path, parsed()),
    locate(fieldPath) {
      const { document, lines } = parsed();
      const steps = [...fieldPath.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) =>
        index === undefined ? step : Number(index),
      );
      for (let depth = steps.length; depth >= 0; depth--) {
        const node: unknown = document.getIn(steps.slice(0, depth), true);
        if (isNode(node) && node.range) return formatPosition(path, lines, node.range[0]);
      }
      return path;
    },
  };
};

interface ParsedYaml {
  readonly document: ReturnType<typeof parseDocument>;
  readonly lines: LineCounter;
}

const parseYaml = (text: string): ParsedYaml => {
  const lines = new LineCounter();
  return { document: parseDocument(text, { lineCounter: lines, prettyErrors: false }), lines };
};

const formatPosition = (path: string, lines: LineCounter, offset: number): string => {
  const { line, col } = lines.linePos(offset);
  return `${path}:${line}:${col}`;
};

const valueOfYaml = (path: string, { document, lines }: ParsedYaml): unknown => {
  const [error] = document.errors;
  if (error) throw new CliError(`${formatPosition(path, lines, error.pos[0])}: ${error.message}`);
  try {
    return document.toJS();
  } catch (cause) {
    // `toJS` throws if an alias has no anchor, or if nested aliases expand to too many nodes.
    throw new CliError(`${path} cannot be read: ${(cause as Error).message}`);
  }
};

const valueOfJson = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
    const before = text.slice(0, offset).split('\n');
    throw new CliError(`${path}:${before.length}:${before.at(-1)!.length + 1}: ${message}`);
  }
};

export const formatPlace = ({ locate }: Pick<StructuredFile, 'locate'>, fieldPath: string): string =>
  fieldPath === '' ? locate(fieldPath) : `${locate(fieldPath)}: ${fieldPath}`;

export const locateErrorDetails = (path: string, file: StructuredFile, error: unknown): unknown =>
  error instanceof CliError && error.details.length > 0
    ? new CliError(
        `${path} was rejected: nothing was changed.`,
        error.details.map(({ path: fieldPath, message }) => ({ path: formatPlace(file, fieldPath), message })),
      )
    : error;
