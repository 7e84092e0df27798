/** What the server said no to, in its own words. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly code: string;
  /** To find the request in the log. */
  readonly requestId: string;
  /** Seconds after which it may be asked again; 0 where nothing was said. */
  readonly retryAfter: number;

  constructor(message: string, told: { status: number; code: string; requestId: string; retryAfter: number }) {
    super(message);
    this.status = told.status;
    this.code = told.code;
    this.requestId = told.requestId;
    this.retryAfter = told.retryAfter;
  }
}

/** No answer came: the server or the way to it is away. */
export class Away extends Error {
  override readonly name = 'Away';

  constructor(cause: unknown) {
    super('The service does not answer. It is asked again as soon as it is back.', { cause });
  }
}

interface Told {
  readonly message?: string;
  readonly error?: { readonly code?: string };
}

export const refusedOf = async (answer: Response): Promise<Refused> => {
  const told = await answer.json().then(
    (body: unknown) => body as Told,
    (): Told => ({}),
  );
  return new Refused(told.message ?? `The service answered ${answer.status}.`, {
    status: answer.status,
    code: told.error?.code ?? '',
    requestId: answer.headers.get('x-request-id') ?? '',
    retryAfter: Number(answer.headers.get('retry-after') ?? 0),
  });
};

/** An error as a sentence for a person. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
