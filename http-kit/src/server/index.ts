export {
  type RouteResponse,
  allowCompression,
  cacheCompressed,
  type ResponseHeaders,
  jsonResponse,
  type JsonResponse,
  rawResponse,
  type RawResponse,
  streamResponse,
  type StreamResponse,
} from '../endpoints/response.ts';
export { type SentResponse } from './send-response.ts';
export type { FormFields, RequestExample, Route, RouteRequest, RouteSchemas } from '../endpoints/route.ts';
export { httpStatusOf, invalidRequestError, parseBody } from '../endpoints/errors.ts';
export {
  idParameter,
  idsParameter,
  instantParameter,
  integerParameter,
  noParameters,
  parsedParameter,
  parseParameters,
  parseQuery,
  switchParameter,
} from '../endpoints/parameters.ts';
export { keysetPages, sequencePages, sequencePattern } from '../endpoints/pages.ts';
export { type AcquireSlot, callerKey, createCallerSlots, type LedgerLimits } from './caller-ledger.ts';
export { findJsonError } from './json-error.ts';
export { requireMediaType } from './request-body.ts';
export {
  createServer,
  type HttpServer,
  type ListenOptions,
  type ServerDependencies,
  serverRoutes,
  type ServerRoutesDependencies,
} from './server.ts';
export { defaultServerLimits, type ServerLimits } from './limits.ts';
export { createGuessLimiter, type GuessLimiter, RefusedRequests } from './refused-requests.ts';
export { registerDependencyMetrics } from './probes.ts';
export { createHttpMetrics } from './metrics.ts';
export {
  type AttemptLimiter,
  clientAddressKey,
  createAttemptLimiter,
  createRateLimits,
  type RateLimits,
  type RefillRate,
  TokenBucket,
} from './rate-limits.ts';
