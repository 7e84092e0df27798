import { setTimeout as sleep } from 'node:timers/promises';
import { openEventStore } from '@popsvc/platform/event-store';
import { createBulkClient } from '../../rig/clients.ts';
import { holdUploads } from '../../rig/held-uploads.ts';
import { quantile } from '../../rig/statistics.ts';
import { startOnOwnCores } from '../harness/cores.ts';
import type { Work } from '../harness/process-usage.ts';
import type { Figure } from '../harness/report.ts';
import { type AllServices, intakePath, openAllServices, type Tenant } from '../testbed/systems.ts';
import type { Rig } from '../testbed/testbed.ts';
import { registerMapping } from '../traffic/bulk-file.ts';
import type { FloodRequest, FloodResult } from '../traffic/flood.ts';
import { denseTenant, network, quietTenant, registryOfTenants, unlimitedRates, vendor } from '../traffic/network.ts';
import type { PostRequests } from '../traffic/post-requests.ts';
import type { TenantLoad } from '../traffic/tenant-load.ts';
import { sendProbes } from './freshness.ts';
import type { Scenario } from './scenario.ts';

/** Starts the whole service with the bulk worker, on cores of its own. */
const openOnOwnCores = (rig: Rig): Promise<AllServices> =>
  startOnOwnCores(rig, async () => {
    const whole = await openAllServices(rig, registryOfTenants);
    await rig.service('worker');
    const store = openEventStore({ url: (await rig.eventStore()).url });
    await registerMapping(store);
    await store.close();
    return whole;
  });

const caughtUpTimeoutMs = 1_800_000;

/** Waits until the report of a tenant has everything that was accepted until now. */
const waitUntilCaughtUp = async ({ readAsOfMs }: Pick<Tenant, 'readAsOfMs'>): Promise<void> => {
  const now = Date.now();
  while ((await readAsOfMs()) < now) {
    if (Date.now() - now > caughtUpTimeoutMs) throw new Error(`a report is not complete after ${caughtUpTimeoutMs} ms`);
    await sleep(500);
  }
};

/** Begins a load of a tenant. Returns a function that ends it and waits until the service has processed it. */
type StartLoad = () => Promise<() => Promise<void>>;

const fileCount = 3;
const maxFileRows = 400_000;

/** Sends three files at a time, again and again. `share`: how large they are, at most 1 for 400,000 rows. */
const createFileLoad = (rig: Rig, whole: AllServices, share: number): StartLoad => {
  const rows = Math.ceil(maxFileRows * Math.min(1, share));
  const worker = rig.worker(new URL('../traffic/tenant-load.js', import.meta.url));
  let firstRow = 1;
  return async () => {
    const tenant = await whole.tenantOf(network, vendor);
    let isOver = false;
    const send = async () => {
      for (; !isOver; firstRow += fileCount * rows) {
        const { apiKey } = tenant;
        const load = {
          kind: 'files',
          url: whole.intakeUrl,
          apiKey,
          files: fileCount,
          rows,
          firstRow,
        } as const;
        await worker.request(load satisfies TenantLoad);
      }
    };
    const sending = send();
    // An error is reported when the load ends.
    sending.catch(() => undefined);
    return async () => {
      isOver = true;
      await sending;
      await waitUntilCaughtUp(tenant);
    };
  };
};

const maxDenseSize = 6_000;

/**
 * Sends plays and as many detections of one minute, of which the service derives rows for longer than a phase. `share`: how many they
 * are, at most 1 for 6,000.
 */
const createDenseLoad = (rig: Rig, whole: AllServices, share: number): StartLoad => {
  const size = Math.ceil((maxDenseSize * Math.min(1, share)) / 6) * 6;
  const worker = rig.worker(new URL('../traffic/tenant-load.js', import.meta.url));
  let atMs = Date.UTC(2026, 7, 20, 14);
  return async () => {
    const tenant = await whole.tenantOf(denseTenant.network, denseTenant.vendor, unlimitedRates);
    const { apiKey } = tenant;
    const sending = worker.request({
      kind: 'dense',
      url: whole.intakeUrl,
      apiKey,
      size,
      atMs,
    } satisfies TenantLoad);
    sending.catch(() => undefined);
    atMs += 60_000;
    return async () => {
      await sending;
      await waitUntilCaughtUp(tenant);
    };
  };
};

const quantilesOf = (name: string, valuesMs: readonly number[]): readonly Figure[] => [
  { name: `${name}, p50`, value: quantile(valuesMs, 0.5), unit: 'ms' },
  { name: `${name}, p95`, value: quantile(valuesMs, 0.95), unit: 'ms' },
  { name: `${name}, max`, value: Math.max(...valuesMs), unit: 'ms' },
];

const probeEveryMs = 500;
/** With fewer probes, the phases are shorter and the loads smaller. */
const fullProbes = 100;
const warmUpProbes = 10;

export const fairnessVisibility: Scenario = {
  name: 'fairness-visibility',
  about: 'time until a report contains a play, while other tenants send dense data and bulk files',
  async run(rig, { probes: count }) {
    const whole = await openOnOwnCores(rig);
    const tenant = await whole.tenantOf(quietTenant.network, quietTenant.vendor, unlimitedRates);
    const share = count / fullProbes;
    const [dense, files] = [createDenseLoad(rig, whole, share), createFileLoad(rig, whole, share)];
    const push: Tenant['push'] = (plays) =>
      tenant.push(plays.map((each) => ({ ...(each as object), screenId: quietTenant.screen })));
    let firstIndex = 0;
    const measure = async (probes: number): Promise<readonly number[]> => {
      const { freshMs } = await sendProbes(
        { ...tenant, push },
        { count: probes, everyMs: () => probeEveryMs, firstIndex, pauseMs: 200, timeoutMs: 600_000 },
      );
      firstIndex += probes;
      return freshMs;
    };
    await measure(warmUpProbes);
    const figures: Figure[] = [];
    for (const [phase, loads] of [
      ['quiet before', []],
      ['dense data', [dense]],
      ['bulk files', [files]],
      ['both', [dense, files]],
      ['quiet after', []],
    ] as const) {
      const stops = await Promise.all(loads.map((start) => start()));
      const measured = quantilesOf(phase, await measure(count));
      figures.push(...measured);
      process.stderr.write(`${phase} ${measured.map(({ value }) => value.toFixed(0)).join(', ')} ms … `);
      await Promise.all(stops.map((stop) => stop()));
    }
    return { measures: [], figures };
  },
};

/** Duration of a phase per configured pair. With the default of 20 pairs, each phase lasts one minute; with fewer, files are smaller. */
const [msPerPair, fullPairs] = [3_000, 20];
const requestEveryMs = 20;
const warmUpMs = 10_000;

/** Measures the requests of a tenant before, during and after a load of another one. */
const measureRequests = async (
  rig: Rig,
  whole: AllServices,
  forMs: number,
  startLoad: StartLoad,
): Promise<readonly Figure[]> => {
  const { apiKey } = await whole.tenantOf(quietTenant.network, quietTenant.vendor, unlimitedRates);
  const sender = rig.worker(new URL('../traffic/post-requests.js', import.meta.url));
  const request: PostRequests = {
    url: whole.intakeUrl + intakePath,
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    status: 202,
    events: 1,
    connections: 1,
    everyMs: requestEveryMs,
    forMs,
  };
  const measure = async () => (await sender.request<Work>(request)).latenciesMs!;
  await sender.request<Work>({ ...request, forMs: warmUpMs });
  const before = await measure();
  const stop = await startLoad();
  const during = await measure();
  await stop();
  const after = await measure();
  const [quietBefore, loaded, quietAfter] = [before, during, after].map((times) => quantile(times, 0.95)) as [
    number,
    number,
    number,
  ];
  return [
    ...quantilesOf('quiet before', before),
    ...quantilesOf('during', during),
    ...quantilesOf('quiet after', after),
    { name: 'p95 during, of quiet', value: loaded / ((quietBefore + quietAfter) / 2), unit: 'times' },
  ];
};

/** The rate of the attack that was measured: 10,000 requests in 5 s. */
const invalidPerSecond = 2_000;

export const fairnessInvalid: Scenario = {
  name: 'fairness-invalid',
  about: `requests of a tenant, while another one sends ${invalidPerSecond} tiny invalid requests a second`,
  async run(rig, { pairs }) {
    const whole = await openOnOwnCores(rig);
    const attacker = await whole.tenantOf(network, vendor);
    const forMs = pairs * msPerPair;
    const flood = rig.worker(new URL('../traffic/flood.js', import.meta.url));
    const attack: FloodRequest = {
      url: whole.intakeUrl + intakePath,
      headers: { 'x-api-key': attacker.apiKey, 'content-type': 'application/json' },
      events: 0,
      perSecond: invalidPerSecond,
      forMs,
    };
    let result: FloodResult | undefined;
    const figures = await measureRequests(rig, whole, forMs, async () => {
      const flooding = flood.request<FloodResult>(attack);
      await sleep(1_000);
      return async () => {
        result = await flooding;
      };
    });
    const { refusedMs, otherOutcomes, senderDelayMs } = result!;
    return {
      measures: [],
      figures: [
        ...figures,
        { name: 'refused by the rate limit', value: refusedMs.length, unit: 'requests' },
        ...Object.entries(otherOutcomes).map(([name, value]) => ({
          name: `ended by ${name}`,
          value,
          unit: 'requests',
        })),
        { name: 'p95 of the delay of the attacker', value: senderDelayMs, unit: 'ms' },
      ],
    };
  },
};

const heldUploads = 16;

export const fairnessFiles: Scenario = {
  name: 'fairness-files',
  about: `requests of a tenant, while others send ${fileCount} files of ${maxFileRows} rows and hold ${heldUploads} uploads`,
  async run(rig, { pairs }) {
    const whole = await openOnOwnCores(rig);
    // A network of its own, because its share of uploads leaves no room for files.
    const holder = await whole.tenantOf(denseTenant.network, denseTenant.vendor);
    const files = createFileLoad(rig, whole, pairs / fullPairs);
    const figures = await measureRequests(rig, whole, pairs * msPerPair, async () => {
      const { uploadUrl } = await createBulkClient(whole.intakeUrl, holder.apiKey).requestUpload('ndjson');
      const release = holdUploads(uploadUrl, heldUploads);
      const stop = await files();
      await sleep(1_000);
      return () => {
        release();
        return stop();
      };
    });
    return { measures: [], figures };
  },
};
