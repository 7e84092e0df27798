/** No answer came, or not the whole of it: the service is away, too slow, or the connection broke. `cause` says more. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The service as it was asked, without path and query. */
  readonly origin: string;

  constructor(url: string, what: string, cause: unknown) {
    const { origin } = new URL(url);
    super(`${origin} ${what} (${reasonOf(cause)})`, { cause });
    this.origin = origin;
  }
}

/** What fetch tells lies one level down. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
};
