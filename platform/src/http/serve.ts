import type { IncomingMessage, ServerResponse } from 'node:http';
import { runInSpan } from '../telemetry/index.ts';
import { admit } from './admit.ts';
import { bodyChunks } from './body/body-chunks.ts';
import { readBody } from './body/read-body.ts';
import type { ServerContext } from './door.ts';
import { RequestContext } from './exchange.ts';
import { fail } from './fail.ts';
import { isTraced, noteAnswer, requestSpan } from './request-span.ts';
import type { Route } from './route.ts';
import { send } from './send.ts';

const standardMaxBytes = 1_048_576;

const through = async (
  route: Route,
  door: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  params: Readonly<Record<string, string>>,
): Promise<void> => {
  const began = performance.now();
  const exchange = new RequestContext(request, response, params, door.log);
  exchange.route = route;
  exchange.limits = door.limits;
  try {
    if (route.isConcurrencyLimited) door.pace.pass();
    if (route.access !== 'public') exchange.principal = await admit(route, request, door.authenticate);
    exchange.allowance = door.rates?.allowanceOf(exchange.principal);
    exchange.allowance?.spend('requests', 1);
    if (route.body === 'stream') exchange.bodyChunks = bodyChunks(exchange, door.limits.bodyIdleTimeoutMs);
    else if (route.body) await readBody(exchange, route.body, route.maxBytes ?? standardMaxBytes, door);
    const work = () => route.handle(exchange);
    await send(exchange, await (route.isConcurrencyLimited ? door.pace.run(work) : work()));
  } catch (thrown) {
    const how = await fail(exchange, thrown, route.renderError).catch(() => {
      response.destroy();
      return 'cut' as const;
    });
    door.metrics.failed(route.path, how);
    if (how !== 'left' && how !== 'cut') route.onRefused?.(exchange, how);
  } finally {
    door.budget.giveBack(exchange.heldBytes);
    door.metrics.done(route.path, request.method ?? '', response.statusCode, (performance.now() - began) / 1_000);
    noteAnswer(exchange);
  }
};

/** One request through one route: who asks, how often, then what, then the answer. A body is read only for those who may send one. */
export const serve = (...given: Parameters<typeof through>): Promise<void> => {
  const [route, , request] = given;
  if (!isTraced(route)) return through(...given);
  return runInSpan(
    () => requestSpan(route.path, request),
    () => through(...given),
  );
};
