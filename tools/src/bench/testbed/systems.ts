import { sliceMs } from '../harness/slices.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { streamPrefixes } from '@popsvc/contracts/events';
import { createApiKey } from '@popsvc/http-kit/auth';
import { openEventStore } from '@popsvc/platform/event-store';
import { allProjections } from '@popsvc/projectors/projections';
import type { Work } from '../harness/process-usage.ts';
import type { Worker } from '../harness/worker.ts';
import { fillCoffee, type Filling } from '../traffic/fill-coffee.ts';
import { fillRegistry } from '../traffic/fill-log.ts';
import type { PostRequests } from '../traffic/post-requests.ts';
import { network, network as standardNetwork, unlimitedRates, vendor } from '../traffic/network.ts';
import { withPostgres } from './engines.ts';
import { openProjector } from './projector.ts';
import type { Rig } from './testbed.ts';
import type { RunningService } from './service.ts';

export const connections = 16;
export const intakePath = '/popsvc/v1/pop/events';

type Post = Pick<PostRequests, 'url' | 'events'> & Partial<PostRequests>;

interface Intake {
  readonly service: RunningService;
  /** URL of the intake that stores plays. */
  readonly url: string;
  readonly headers: PostRequests['headers'];
  /** URL of the intake with `validate_only`, which stores nothing. */
  readonly checkedUrl: string;
  /** Posts plays for `sliceMs` from a process that starts with the first request, by default with the vendor's API key over 16 connections. */
  readonly post: (request: Post) => Promise<Work>;
}

/** Starts command-api and a worker that posts plays to it. */
export const openIntake = async (rig: Rig): Promise<Intake> => {
  const service = await rig.service('command-api');
  const key = await withPostgres(await rig.postgres(), (postgres) =>
    createApiKey(postgres, { vendor, networkId: network, ...unlimitedRates }),
  );
  let sender: Worker | undefined;
  const headers = { 'x-api-key': key.apiKey, 'content-type': 'application/json' };
  const url = service.url + intakePath;
  return {
    service,
    url,
    headers,
    checkedUrl: `${url}?validate_only=true`,
    post(request) {
      sender ??= rig.worker(new URL('../traffic/post-requests.js', import.meta.url));
      return sender.request<Work>({ status: 202, headers, connections, forMs: sliceMs, ...request });
    },
  };
};

type Headers = Readonly<Record<'x-api-key', string>>;

interface Reporting {
  readonly service: RunningService;
  /** Headers with an API key for the network `standardNetwork`. */
  readonly headers: Headers;
  readonly headersOf: (network: number) => Promise<Headers>;
}

/** Registers the benchmark's networks, fills the `coffee` table with generated rows and starts query-api. */
export const openReporting = async (rig: Rig, ...fillings: readonly Filling[]): Promise<Reporting> => {
  const projecting = await openProjector(rig);
  const registered = await fillRegistry(projecting.store);
  // Runs only the projections that read the registry. Any other projection skips registry events, so it would never reach this position.
  for (const projection of allProjections.filter(({ streams }) => streams.includes(streamPrefixes.registry)))
    await projecting.run(projection, 1, registered);
  for (const filling of fillings) await fillCoffee(projecting.writer, filling);
  const headersOf = async (networkId: number) => {
    const key = await withPostgres(await rig.postgres(), (postgres) =>
      createApiKey(postgres, { vendor, networkId, ...unlimitedRates }),
    );
    return { 'x-api-key': key.apiKey };
  };
  return { service: await rig.service('query-api'), headers: await headersOf(standardNetwork), headersOf };
};

/** The running services, as a vendor and a partner of one network use them. */
export interface Tenant {
  readonly apiKey: string;
  /** Posts plays; resolves when they are accepted. */
  readonly push: (plays: readonly unknown[]) => Promise<void>;
  /** Reads a page of the `coffee` report and resolves with the JSON text. */
  readonly page: (query: string) => Promise<string>;
  /** Reads the time up to which the report of the network is complete, in ms since 1970. */
  readonly readAsOfMs: () => Promise<number>;
}

/** The services, and the tenant that the benchmarks register. */
export interface AllServices extends Tenant {
  readonly intakeUrl: string;
  readonly projectors: RunningService;
  readonly tenantOf: (network: number, vendor: string, rates?: typeof unlimitedRates) => Promise<Tenant>;
}

const startTimeoutMs = 30_000;

/** Starts all services with the networks of a registry file; default: the benchmark's networks. */
export const openAllServices = async (rig: Rig, registryFile?: object): Promise<AllServices> => {
  const store = openEventStore({ url: (await rig.eventStore()).url });
  await fillRegistry(store, registryFile);
  await store.close();
  const projectors = await rig.service('projectors');
  const [intake, reports] = [await rig.service('command-api'), await rig.service('query-api')];
  const tenantOf: AllServices['tenantOf'] = async (networkId, vendorCode, rates) => {
    const { apiKey } = await withPostgres(await rig.postgres(), (postgres) =>
      createApiKey(postgres, { vendor: vendorCode, networkId, ...rates }),
    );
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const send = async (url: string, status: number, init: RequestInit = {}) => {
      const response = await fetch(url, { ...init, headers });
      const text = await response.text();
      if (response.status !== status) throw new Error(`${url} returned ${response.status}: ${text}`);
      return { text, asOf: response.headers.get('x-data-as-of') };
    };
    const read = (query: string) => send(`${reports.url}/api/v1/coffee?${query}`, 200);
    return {
      apiKey,
      async push(plays) {
        await send(intake.url + intakePath, 202, { method: 'POST', body: JSON.stringify({ events: plays }) });
      },
      page: async (query) => (await read(query)).text,
      readAsOfMs: async () => Date.parse((await read('from=2026-01-01&to=2026-01-02')).asOf!),
    };
  };
  const whole = {
    ...(await tenantOf(network, vendor, unlimitedRates)),
    intakeUrl: intake.url,
    projectors,
    tenantOf,
  };
  // query-api rejects requests for a network until the network is projected.
  const until = performance.now() + startTimeoutMs;
  const isOpen = () => whole.readAsOfMs().then(() => true);
  while (!(await isOpen().catch(() => performance.now() > until))) await sleep(100);
  return whole;
};
