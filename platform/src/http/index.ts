export {
  type Answer,
  compressible,
  compressibleOnce,
  type Headers,
  json,
  type JsonAnswer,
  raw,
  type RawAnswer,
  stream,
  type StreamAnswer,
} from './answer.ts';
export { type Answered, answered } from './answered.ts';
export type { Asked, Fields } from './asked.ts';
export { checkedBody, invalidRequest } from './checked-body.ts';
export { requireMediaType } from './body/media-type.ts';
export { createServer, type HttpServer, type ServerParts } from './create-server.ts';
export type { Authenticate, Proof } from './door.ts';
export { dependencyMetrics } from './dependency-metrics.ts';
export { errorAnswer } from './error-answer.ts';
export { httpMetrics } from './http-metrics.ts';
export { type Limits, standardLimits } from './limits.ts';
export type { ListenOptions } from './listen.ts';
export { type Check, NotYet } from './probes.ts';
export { type Attempts, attempts } from './rates/attempts.ts';
export { rateLimits, type RateLimits } from './rates/rate-limits.ts';
export { subscriberOf } from './rates/subscriber-of.ts';
export { type Filling, TokenBucket } from './rates/token-bucket.ts';
export type { RequestExample, Route, RouteSchemas } from './route.ts';
export { serverRoutes, type ServerRoutesParts } from './server-routes.ts';
export { statusOf } from './status-of.ts';
