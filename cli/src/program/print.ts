import type { Command } from 'commander';

/** What a command answers: as JSON for programs, as text for people. */
export interface Told {
  readonly value: unknown;
  readonly text: string;
}

/** Writes the answer to standard output in the form that was asked for. */
export const print = (command: Command, { value, text }: Told): void => {
  const { json } = command.optsWithGlobals<{ json?: boolean }>();
  process.stdout.write(
    json ? `${JSON.stringify(value, null, 2)}\n` : text === '' || text.endsWith('\n') ? text : `${text}\n`,
  );
};

/** Remarks stand beside the answer, never in it. */
export const remark = (text: string): void => void process.stderr.write(`${text}\n`);
