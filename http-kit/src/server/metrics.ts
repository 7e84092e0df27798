import type { ErrorCode } from '@popsvc/contracts/errors';
import { Counter, Gauge, Histogram, latencyBucketsSeconds, type Registry } from '@popsvc/platform/telemetry';

/**
 * The error code that was sent, `left` if the caller had disconnected, or `cut` if the connection broke after part of the response was
 * sent.
 */
export type RequestFailure = ErrorCode | 'left' | 'cut';

export const wasErrorSent = (failure: RequestFailure): failure is ErrorCode => failure !== 'left' && failure !== 'cut';

export interface HttpMetrics {
  /** `route`: the declared path, because requested paths have unbounded cardinality. `duration`: seconds. */
  done(route: string, method: string, status: number, duration: number): void;
  failed(route: string, failure: RequestFailure): void;
  readonly inFlight: { inc(): void; dec(): void };
}

export const createHttpMetrics = (registry: Registry): HttpMetrics => {
  const registers = [registry];
  const duration = new Histogram({
    name: 'popsvc_http_request_seconds',
    help: 'Time from the headers of a request to the end of its response.',
    labelNames: ['route', 'method'] as const,
    buckets: latencyBucketsSeconds,
    registers,
  });
  const requests = new Counter({
    name: 'popsvc_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'method', 'status'] as const,
    registers,
  });
  const rejections = new Counter({
    name: 'popsvc_http_refusals_total',
    help: 'Requests rejected, by error code.',
    labelNames: ['route', 'code'] as const,
    registers,
  });
  const cuts = new Counter({
    name: 'popsvc_http_answers_cut_total',
    help: 'Responses that the service cut off after their first bytes were sent, mostly downloads.',
    labelNames: ['route'] as const,
    registers,
  });
  const inFlight = new Gauge({ name: 'popsvc_http_requests_in_flight', help: 'Requests in flight.', registers });
  // Looking up labels costs more than counting a request.
  const recorders = new Map<string, (seconds: number) => void>();
  return {
    inFlight: { inc: () => inFlight.inc(), dec: () => inFlight.dec() },
    failed(route, failure) {
      if (failure === 'cut') cuts.inc({ route });
      else if (failure !== 'left') rejections.inc({ route, code: failure });
    },
    done(route, method, status, seconds) {
      const key = `${method} ${status} ${route}`;
      let record = recorders.get(key);
      if (!record) {
        const count = requests.labels(route, method, String(status));
        const observe = duration.labels(route, method);
        record = (value) => {
          count.inc();
          observe.observe(value);
        };
        recorders.set(key, record);
      }
      record(seconds);
    },
  };
};
