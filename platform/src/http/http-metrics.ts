import { Counter, Gauge, Histogram, latencyBuckets, type Registry } from '../runtime/index.ts';

export interface HttpMetrics {
  /** Called when a request is through; `route` is the declared path, never the asked one, which could be anything. */
  done(route: string, method: string, status: number, seconds: number): void;
  readonly inFlight: { inc(): void; dec(): void };
}

/** Requests by route and status, how long they took, and how many are on their way. */
export const httpMetrics = (registry: Registry): HttpMetrics => {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'http_request_seconds',
    help: 'Time from the headers of a request to the end of its answer.',
    labelNames: ['route', 'method'] as const,
    buckets: latencyBuckets,
    registers,
  });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'method', 'status'] as const,
    registers,
  });
  const inFlight = new Gauge({ name: 'http_requests_in_flight', help: 'Requests on their way.', registers });
  // Hashing labels anew for each request costs more than counting it.
  const known = new Map<string, (took: number) => void>();
  return {
    inFlight: { inc: () => inFlight.inc(), dec: () => inFlight.dec() },
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
