import type { EventStore } from '@popsvc/platform/event-store';
import { type Authenticate, createServer, type HttpServer, type Limits, rateLimits } from '@popsvc/platform/http';
import type { Records } from '@popsvc/platform/records';
import { type Clock, type Log, type Registry, systemClock } from '@popsvc/platform/runtime';
import { passOn } from '../feedback/pass-on.ts';
import { createAppender } from '../intake/appender.ts';
import { intakeMetrics } from '../intake/intake-metrics.ts';
import { storeGate } from '../intake/store-gate.ts';
import { checkPlaces } from '../places/check-places.ts';
import { mirrorRegistry } from '../places/registry-mirror.ts';
import { allRoutes } from '../routes/all.ts';

export interface CommandApiParts {
  readonly store: EventStore;
  readonly records: Records;
  readonly authenticate: Authenticate;
  readonly log: Log;
  readonly metrics: Registry;
  /** Where the reporting service answers; what is asked of read models is passed on to it. */
  readonly queryApiUrl: string;
  readonly clock?: Clock;
  /** Undefined: events of any age. */
  readonly maxAgeDays?: number | undefined;
  readonly limits?: Partial<Limits>;
}

/** The write side over HTTP. Opens nothing but its own subscription to the registry; `close` ends that and the server. */
export const createCommandApi = (parts: CommandApiParts): Pick<HttpServer, 'listen' | 'close' | 'node'> => {
  const { store, records, authenticate, log, metrics, clock = systemClock, maxAgeDays, limits, queryApiUrl } = parts;
  const mirror = mirrorRegistry(store, log);
  const gate = storeGate(store);
  const figures = intakeMetrics(metrics);
  const queryApi = passOn(queryApiUrl);
  const intake = {
    store,
    records,
    clock,
    maxAgeDays,
    metrics: figures,
    gate,
    appender: createAppender(store, gate, figures),
  };
  const server = createServer({
    routes: allRoutes(intake, checkPlaces(mirror, store), queryApi.ask),
    authenticate,
    log,
    metrics,
    rates: rateLimits(metrics, { units: ['requests', 'events'] }),
    checks: {
      'event-store': () => store.ping(),
      postgresql: () => records.query('SELECT 1'),
      registry: () => mirror.ready(),
    },
    ...(limits && { limits }),
  });
  return {
    node: server.node,
    listen: (options) => server.listen(options),
    async close() {
      await server.close();
      mirror.stop();
      gate.stop();
      queryApi.close();
    },
  };
};
