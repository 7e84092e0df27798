import type { Service } from '../rig/service-process.ts';
import type { SoakNetwork } from './world.ts';

/** Whoever asks the service: where it is now, and with what. */
export interface Access {
  service(): Service;
  keyOf(network: SoakNetwork): string;
  /** Of a client of both networks; the first is its default. */
  readonly client: { readonly id: string; readonly secret: string };
}

/** What the operator was answered where it was not well. */
export class NotWell extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** Of a failure to ask; 0 for no answer at all. */
export const statusOf = (error: unknown): number => (error instanceof NotWell ? error.status : 0);

/** The operator over HTTP; throws NotWell, or what kept it from being answered. */
export const askOps = async <Answer>(
  { credentials }: Pick<Service, 'credentials'>,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<Answer> => {
  const answer = await fetch(`${credentials.ops_base_url}/ops/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${credentials.operator_token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    signal: AbortSignal.timeout(60_000),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new NotWell(answer.status, `${method} ${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Answer;
};
