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

const isInMessage = (message: string, { path, message: reason }: ApiErrorDetail, isOnly: boolean): boolean =>
  message.includes(`${path}: ${reason}`) ||
  message.includes(`${path} ${reason}`) ||
  (isOnly && message.includes(reason));

export const formatError = ({ message, details }: Pick<CliError, 'message' | 'details'>): string =>
  [
    message,
    ...details
      .filter((detail) => !isInMessage(message, detail, details.length === 1))
      .map(({ path, message: reason }) => `  ${path}: ${reason}`),
  ].join('\n');

/** fetch puts the error code of a failed request, such as `ECONNREFUSED`, into `cause`. */
export const describeNetworkError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return (error.cause as { code?: string } | undefined)?.code ?? error.message;
};
