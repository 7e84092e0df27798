import type { Detail } from '@popsvc/contracts/errors';

/** What is told on standard error in plain words, without a stack; the command then ends with 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly details: readonly Detail[];

  constructor(message: string, details: readonly Detail[] = []) {
    super(message);
    this.details = details;
  }
}

/** How a failure reads on a terminal. A detail that only repeats the message is left out. */
export const failureText = ({ message, details }: Pick<Failure, 'message' | 'details'>): string =>
  [
    message,
    ...details
      .map(({ path, message: told }) => `${path}: ${told}`)
      .filter((line) => !message.includes(line))
      .map((line) => `  ${line}`),
  ].join('\n');
