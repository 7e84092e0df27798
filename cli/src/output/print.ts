import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { CliError } from './cli-error.ts';
import { createEscapingTransform, escapeText } from './control-characters.ts';

export interface CommandResult {
  /** Printed with `--json`. */
  readonly value: unknown;
  /** Printed without `--json`. */
  readonly text: string;
}

export const printResult = (command: Command, { value, text }: CommandResult): void => {
  const { json } = command.optsWithGlobals<{ json?: boolean }>();
  const printed = escapeText(json ? JSON.stringify(value, null, 2) : text);
  process.stdout.write(printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`);
};

/** Prints to standard error, to keep notes separate from the result on standard output. */
export const printNote = (text: string): void => void process.stderr.write(`${escapeText(text)}\n`);

/** Resolves without an error if the reading process, such as `head`, closes the pipe early. */
export const pipeToStdout = async (source: Readable): Promise<void> => {
  try {
    const escaping = process.stdout.isTTY ? [createEscapingTransform()] : [];
    await pipeline([source, ...escaping, process.stdout], { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
    throw new CliError(`The response is incomplete: ${error instanceof Error ? error.message : String(error)}`);
  }
};
