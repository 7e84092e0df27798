import type { MessageBus } from '@popsvc/platform/message-bus';
import type { Secret } from '@popsvc/platform/config';
import type { EventStore } from '@popsvc/platform/event-store';
import {
  type Authenticate,
  createServer,
  type HttpServer,
  type ServerLimits,
  createRateLimits,
} from '@popsvc/platform/http';
import { type ExternalObjectStore, type ReceivingObjectStore, createUploadUrls } from '@popsvc/platform/object-storage';
import type { Postgres } from '@popsvc/platform/postgres';
import { type Clock, systemClock } from '@popsvc/platform/runtime';
import { type Log, type Registry } from '@popsvc/platform/telemetry';
import { keepUploads, uploadMetrics } from '../bulk/index.ts';
import { countedByMinute, intakeMinutes, keepFigures } from '../figures/index.ts';
import { passOn } from '../feedback/pass-on.ts';
import { createAppender } from '../intake/appender.ts';
import { intakeMetrics } from '../intake/intake-metrics.ts';
import { storeGate } from '../intake/store-gate.ts';
import { checkPlaces } from '../places/check-places.ts';
import { mirrorRegistry } from '../places/registry-mirror.ts';
import { allRoutes, uploadsPath } from '../routes/all.ts';
import { commandApiDescription } from './description.ts';

export interface CommandApiParts {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly authenticate: Authenticate;
  readonly log: Log;
  readonly metrics: Registry;
  /** Where the reporting service answers; what is asked of read models is passed on to it. */
  readonly queryApiUrl: string;
  readonly clock?: Clock;
  /** Undefined: events of any age. */
  readonly maxAgeDays?: number | undefined;
  readonly limits?: Partial<ServerLimits>;
  readonly objects: ReceivingObjectStore | ExternalObjectStore;
  readonly uploads: UploadSettings;
  /** Brings what is due for uploads; without it this process leaves that to others. */
  readonly bus?: MessageBus;
}

export interface UploadSettings {
  /** Of addresses of our own: the first one signs, all are accepted. */
  readonly secrets: readonly Secret[];
  /** This service as vendors reach it; default: this machine and the port it listens on. */
  readonly publicUrl?: string | undefined;
  readonly maxBytes: number;
}

/** The write side over HTTP. Opens nothing but its own subscriptions; `close` ends those and the server. */
export const createCommandApi = (parts: CommandApiParts): Pick<HttpServer, 'listen' | 'close' | 'node'> => {
  const { store, postgres, authenticate, log, metrics, clock = systemClock, maxAgeDays, limits, queryApiUrl } = parts;
  const mirror = mirrorRegistry(store, log);
  const gate = storeGate(store);
  const figures = intakeMetrics(metrics);
  const counts = intakeMinutes(clock);
  const stopFigures = keepFigures(counts, postgres, log);
  const queryApi = passOn(queryApiUrl);
  const intake = {
    store,
    postgres,
    clock,
    maxAgeDays,
    metrics: countedByMinute(figures, counts),
    gate,
    appender: createAppender(store, gate, figures),
  };
  const { objects, uploads, bus } = parts;
  let listensOn = 0;
  const addresses = createUploadUrls({
    secrets: uploads.secrets,
    publicUrl: () => uploads.publicUrl ?? `http://localhost:${listensOn}`,
    path: uploadsPath,
  });
  const bulk = {
    ...{ store, gate, postgres, clock, log, maxAgeDays },
    files: objects.kind === 'disk' ? { objects, addresses } : { objects },
    metrics: uploadMetrics(metrics),
    maxUploadBytes: uploads.maxBytes,
  };
  const keeper = bus && keepUploads(bulk, bus);
  const server = createServer({
    routes: allRoutes({ intake, bulk, check: checkPlaces(mirror, store), askQueryApi: queryApi.ask }),
    description: commandApiDescription,
    authenticate,
    log,
    metrics,
    rates: createRateLimits(metrics, { units: ['requests', 'events'] }),
    checks: {
      'event-store': () => store.ping(),
      postgresql: () => postgres.query('SELECT 1'),
      registry: () => mirror.ready(),
      objects: () => objects.ping(),
    },
    ...(limits && { limits }),
  });
  return {
    node: server.node,
    async listen(options) {
      listensOn = await server.listen(options);
      return listensOn;
    },
    async close() {
      await server.close();
      await keeper?.stop();
      await stopFigures();
      mirror.stop();
      gate.stop();
      queryApi.close();
    },
  };
};
