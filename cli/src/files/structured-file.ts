import { isNode, LineCounter, parseDocument } from 'yaml';
import { CliError } from '../output/cli-error.ts';
import { readTextFile } from './text-file.ts';

/** The content of a YAML or JSON file, and the line and column of each field for error messages. */
export interface StructuredFile {
  readonly value: unknown;
  /**
   * Returns the position of a field as `file:line:column`. The field path has the form `devices[3].location`. If the file lacks the field,
   * returns the position of the nearest enclosing field; if the file is empty, returns its path alone.
   */
  readonly locate: (path: string) => string;
}

/** Reads a JSON file (`.json`) or a YAML file (any other name). Throws a CliError if the file cannot be read or parsed. */
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

/** Formats the position of an error as `file:line:column: field`; the field is omitted if the error concerns the whole file. */
export const formatPlace = ({ locate }: Pick<StructuredFile, 'locate'>, fieldPath: string): string =>
  fieldPath === '' ? locate(fieldPath) : `${locate(fieldPath)}: ${fieldPath}`;

/**
 * If the server rejected a file and its error lists details, returns an error with the line and column of each detail. Returns other errors
 * unchanged.
 */
export const locateErrorDetails = (path: string, file: StructuredFile, error: unknown): unknown =>
  error instanceof CliError && error.details.length > 0
    ? new CliError(
        `${path} was rejected: nothing was changed.`,
        error.details.map(({ path: fieldPath, message }) => ({ path: formatPlace(file, fieldPath), message })),
      )
    : error;
