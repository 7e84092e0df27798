import { ask } from './ask.ts';
import type { Service } from './find-service.ts';
import { refusalOf } from './service-refusal.ts';

export interface OpsAsked {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly patienceMs?: number;
}

/** Asks the operations server as the operator; `path` follows `/ops/v1`. */
export type Ops = <Answer>(path: string, asked?: OpsAsked) => Promise<Answer>;

const longestApplyMs = 10 * 60_000;

/** Looks the server up when it is first asked: what only pushes needs none. */
export const opsClient = (service: Pick<Service, 'opsUrl' | 'operatorToken'>): Ops => {
  return async <Answer>(path: string, { method = 'GET', body, patienceMs = 0 }: OpsAsked = {}) => {
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
    return (await response.json()) as Answer;
  };
};
