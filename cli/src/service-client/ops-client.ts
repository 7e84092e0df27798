import { Readable } from 'node:stream';
import { ask } from './ask.ts';
import type { Service } from './find-service.ts';
import { refusalOf } from './service-refusal.ts';

export interface OpsAsked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly patienceMs?: number;
}

/** Asks the operations server as the operator; `path` follows `/ops/v1`. */
export type Ops = <Answer>(path: string, asked?: OpsAsked) => Promise<Answer>;

export type OpsStream = (path: string) => Promise<Readable>;

const longestApplyMs = 10 * 60_000;

const answerOf = async (
  service: Pick<Service, 'opsUrl' | 'operatorToken'>,
  path: string,
  { method = 'GET', body, patienceMs = 0 }: OpsAsked = {},
): Promise<Response> => {
  const url = `${service.opsUrl}/ops/v1${path}`;
  const headers = { authorization: `Bearer ${service.operatorToken}` };
  const response = await ask({
    method,
    url,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    timeoutMs: longestApplyMs,
    patienceMs,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await refusalOf(response);
  return response;
};

/** Looks the server up when it is first asked: what only pushes needs none. */
export const opsClient =
  (service: Pick<Service, 'opsUrl' | 'operatorToken'>): Ops =>
  async <Answer>(path: string, asked?: OpsAsked) =>
    (await (await answerOf(service, path, asked)).json()) as Answer;

/** The same for an answer that may be long: as it comes. */
export const opsStreamClient =
  (service: Pick<Service, 'opsUrl' | 'operatorToken'>): OpsStream =>
  async (path) => {
    const { body } = await answerOf(service, path);
    return body ? Readable.fromWeb(body) : Readable.from([]);
  };
