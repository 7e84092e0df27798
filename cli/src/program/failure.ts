import type { ApiErrorDetail } from '@popsvc/contracts/errors';

/** What is told on standard error in plain words, without a stack; the command then ends with 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly details: readonly ApiErrorDetail[];

  constructor(message: string, details: readonly ApiErrorDetail[] = []) {
    super(message);
    this.details = details;
  }
}

/** Whether the message says it already: servers put the path before it in one way or another, or leave out the only one's. */
const isSaid = (message: string, { path, message: told }: ApiErrorDetail, isOnly: boolean): boolean =>
  message.includes(`${path}: ${told}`) || message.includes(`${path} ${told}`) || (isOnly && message.includes(told));

/** How a failure reads on a terminal. A detail that only repeats the message is left out. */
export const failureText = ({ message, details }: Pick<Failure, 'message' | 'details'>): string =>
  [
    message,
    ...details
      .filter((detail) => !isSaid(message, detail, details.length === 1))
      .map(({ path, message: told }) => `  ${path}: ${told}`),
  ].join('\n');
