import type { ApiErrorDetail } from '@popsvc/contracts/errors';

/** An error whose message is printed to standard error without a stack trace. The command exits with code 1. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly details: readonly ApiErrorDetail[];

  constructor(message: string, details: readonly ApiErrorDetail[] = []) {
    super(message);
    this.details = details;
  }
}

/** Returns whether a message already contains the path and reason of a detail. If there is only this detail, its reason is enough. */
const isInMessage = (message: string, { path, message: reason }: ApiErrorDetail, isOnly: boolean): boolean =>
  message.includes(`${path}: ${reason}`) ||
  message.includes(`${path} ${reason}`) ||
  (isOnly && message.includes(reason));

/** Formats an error for a terminal: its message, followed by those details that the message does not contain, one per line. */
export const formatError = ({ message, details }: Pick<CliError, 'message' | 'details'>): string =>
  [
    message,
    ...details
      .filter((detail) => !isInMessage(message, detail, details.length === 1))
      .map(({ path, message: reason }) => `  ${path}: ${reason}`),
  ].join('\n');

/**
 * Returns the error code of a failed network request, such as `ECONNREFUSED`, which fetch puts into `cause`. Without a code, returns the
 * message.
 */
export const describeNetworkError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return (error.cause as { code?: string } | undefined)?.code ?? error.message;
};
