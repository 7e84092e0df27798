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
} from './answer.ts';
export { type SentResponse, sentResponses } from './answered.ts';
export type { RouteRequest, FormFields } from './asked.ts';
export { parseBody, invalidRequestError } from './checked-body.ts';
export { requireMediaType } from './body/media-type.ts';
export { createServer, type HttpServer, type ServerDependencies } from './create-server.ts';
export type { Authenticate, ProtectedAccess } from './door.ts';
export { registerDependencyMetrics } from './dependency-metrics.ts';
export { errorResponse } from './error-answer.ts';
export { createHttpMetrics } from './http-metrics.ts';
export { type ServerLimits, defaultServerLimits } from './limits.ts';
export type { ListenOptions } from './listen.ts';
export { type ReadinessCheck, NotReadyError } from './probes.ts';
export { type AttemptLimiter, createAttemptLimiter } from './rates/attempts.ts';
export { createRateLimits, type RateLimits } from './rates/rate-limits.ts';
export { clientAddressKey } from './rates/subscriber-of.ts';
export { type RefillRate, TokenBucket } from './rates/token-bucket.ts';
export type { RequestExample, Route, RouteSchemas } from './route.ts';
export { serverRoutes, type ServerRoutesDependencies } from './server-routes.ts';
export { httpStatusOf } from './status-of.ts';
