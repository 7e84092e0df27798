import { ConnectionError, ServiceError } from '@popsvc/client';
import { type Command, CommanderError } from 'commander';
import { Failure, failureText } from './failure.ts';

/** Runs the command line; the exit code: 0 done, 1 refused or failed, 2 wrong usage. */
export const runProgram = async (program: Command, argv: readonly string[]): Promise<number> => {
  try {
    await program.parseAsync([...argv]);
    return 0;
  } catch (error) {
    // Commander has told its own complaints already; help that was asked for is no complaint.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`${program.name()}: ${textOf(error)}\n`);
    return 1;
  }
};

const textOf = (error: unknown): string => {
  if (error instanceof Failure || error instanceof ServiceError) return failureText(error);
  if (error instanceof ConnectionError) return `${error.message}. Does the service run?`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};
