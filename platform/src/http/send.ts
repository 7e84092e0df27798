import type { RouteResponse, ResponseHeaders } from './answer.ts';
import { sentResponses, type SentResponse } from './answered.ts';
import type { RequestContext } from './exchange.ts';
import { coded, codingOf } from './compress.ts';
import { pipe } from './pipe.ts';
import { protectiveHeaders } from './protective-headers.ts';
import { settleRequest } from './settle-request.ts';
import { untilTaken } from './until-taken.ts';

/** Writes an answer; resolves when all of it was handed to the connection. */
export const send = async (exchange: RequestContext, answer: RouteResponse): Promise<void> => {
  const { response, requestId, allowance } = exchange;
  const told = { ...allowance?.headers(), 'X-Request-Id': requestId };
  settleRequest(exchange);
  if (answer.kind === 'stream') {
    const headers = { ...protectiveHeaders, ...answer.headers, ...told };
    await pipe(exchange, answer, headers);
    publish(exchange, answer.status, headers);
    return;
  }
  const empty = answer.status === 204;
  const plain = answer.kind === 'json' ? JSON.stringify(answer.body) : answer.content;
  const coding = codingOf(answer, exchange, Buffer.byteLength(plain));
  const content = await coded(plain, coding, answer);
  const headers = {
    ...protectiveHeaders,
    ...(!empty && {
      'Content-Type': answer.kind === 'json' ? 'application/json; charset=utf-8' : answer.contentType,
      'Content-Length': String(Buffer.byteLength(content)),
    }),
    ...answer.headers,
    ...coding.headers,
    ...told,
  };
  response.writeHead(answer.status, headers);
  response.end(empty ? undefined : content);
  untilTaken(response, exchange.limits);
  publish(exchange, answer.status, headers, plain);
};

const publish = (
  { request, route }: RequestContext,
  status: number,
  headers: ResponseHeaders,
  content?: string | Buffer,
): void => {
  if (!sentResponses.hasSubscribers) return;
  const { method = '' } = request;
  sentResponses.publish({ method, path: route?.path, status, headers, content } satisfies SentResponse);
};
