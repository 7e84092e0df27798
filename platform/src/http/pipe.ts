import type { ResponseHeaders, StreamResponse } from './answer.ts';
import { codedStream, codingOf } from './compress.ts';
import type { RequestContext } from './exchange.ts';

const idleMs = 60_000;

/**
 * Passes bytes on as they come. Headers go out with the first byte: until then a failure is an ordinary error. After it the
 * connection is broken instead of ended, so that no cut file looks whole. A caller that leaves closes the source.
 */
export const pipe = async (
  exchange: RequestContext,
  answer: StreamResponse,
  headers: ResponseHeaders,
): Promise<void> => {
  const { request, response, signal } = exchange;
  const coding = codingOf(answer, exchange);
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries({ ...headers, ...coding.headers })) response.setHeader(name, value);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const source = codedStream(await answer.open(signal), coding);
  // A reader that takes nothing for so long makes room for others.
  response.setTimeout(idleMs, () => response.destroy());
  response.once('close', () => source.destroy());
  await new Promise<void>((resolve, reject) => {
    source.once('error', (error: unknown) => {
      source.unpipe(response);
      reject(error instanceof Error ? error : new Error(String(error)));
    });
    source.once('close', () => {
      if (source.readableEnded || response.destroyed) resolve();
      else reject(new Error('the source closed before its end'));
    });
    if (response.destroyed) source.destroy();
    else source.pipe(response);
  });
};
