import { Counter, Gauge, Histogram, latencyBucketsSeconds, type Registry } from '../telemetry/index.ts';
import type { Failed } from './handle-error.ts';

export interface HttpMetrics {
  /** Records a completed request. `route` is the declared path, because the requested path has unbounded cardinality. */
  done(route: string, method: string, status: number, seconds: number): void;
  /** Records a failed request. */
  failed(route: string, how: Failed): void;
  readonly inFlight: { inc(): void; dec(): void };
}

/** Creates the metrics of requests: count by route and status, rejections by code, duration, requests in flight. */
export const createHttpMetrics = (registry: Registry): HttpMetrics => {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'popsvc_http_request_seconds',
    help: 'Time from the headers of a request to the end of its answer.',
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
  const refusals = new Counter({
    name: 'popsvc_http_refusals_total',
    help: 'Requests refused, by the code the caller was told.',
    labelNames: ['route', 'code'] as const,
    registers,
  });
  const cuts = new Counter({
    name: 'popsvc_http_answers_cut_total',
    help: 'Answers that broke off on our side after a part of them was out: downloads, most of all.',
    labelNames: ['route'] as const,
    registers,
  });
  const inFlight = new Gauge({ name: 'popsvc_http_requests_in_flight', help: 'Requests on their way.', registers });
  // Looking up labels for each request costs more than counting it, so the label children are cached.
  const known = new Map<string, (took: number) => void>();
  return {
    inFlight: { inc: () => inFlight.inc(), dec: () => inFlight.dec() },
    failed(route, how) {
      if (how === 'cut') cuts.inc({ route });
      else if (how !== 'left') refusals.inc({ route, code: how });
    },
    done(route, method, status, took) {
      const key = `${method} ${status} ${route}`;
      let note = known.get(key);
      if (!note) {
        const count = requests.labels(route, method, String(status));
        const observe = seconds.labels(route, method);
        note = (value) => {
          count.inc();
          observe.observe(value);
        };
        known.set(key, note);
      }
      note(took);
    },
  };
};
