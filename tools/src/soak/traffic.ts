import { setTimeout as sleep } from 'node:timers/promises';
import { type BulkUpload, createBulkClient } from '../rig/clients.ts';
import { createRandom, type Random } from '../rig/random.ts';
import { type Access, requestOps, statusOf } from './access.ts';
import { classifyStatus, createDelivery } from './deliver.ts';
import type { Ledger } from './ledger.ts';
import { createVendor, type OwnEvent, type Vendor } from './vendor.ts';
import { createDevice, floorCount, createMapping, type SoakNetwork, soakNetworks } from './networks.ts';

const bulkTimeoutMs = 5 * 60_000;
const invalidLine = '{"id":"never","screen":';

const csvOf = (events: readonly OwnEvent[]): string =>
  ['id,screen,start,seconds,length', ...events.map((event) => Object.values(event).join(','))].join('\n');

/**
 * Returns a function that uploads a bulk file of vendor-specific plays and waits for its job. After a temporary error it uploads the file
 * again.
 */
const createFileUpload =
  (access: Access, ledger: Ledger, { below, happens }: Random, addFailure: (text: string) => void) =>
  async (network: SoakNetwork, vendor: Vendor): Promise<void> => {
    const { events, plays } = vendor.createOwnEvents(100 + below(400), Date.now());
    const format = happens(0.5) ? 'csv' : 'ndjson';
    const bad = format === 'ndjson' && happens(0.5) ? [invalidLine] : [];
    const lines = () => [...events.map((event) => JSON.stringify(event)), ...bad].join('\n');
    const upload: BulkUpload = { format, body: format === 'csv' ? csvOf(events) : lines(), schemaVersion: 'soak-1' };
    ledger.addPlays(network, plays);
    for (;;) {
      try {
        const { ingest_base_url } = access.service().credentials;
        const job = await createBulkClient(ingest_base_url, access.keyOf(network)).ingest(upload, bulkTimeoutMs);
        ledger.countAttempt('file', 'ok');
        const [good, errors] = [job.processedRows, job.errorRows];
        if (good !== plays.length || errors !== bad.length)
          addFailure(
            `a ${format} file of ${plays.length} valid and ${bad.length} invalid rows ended as ${job.status} with ${good} processed rows and ${errors} errors`,
          );
        const ids = plays.map(({ id }) => id);
        ledger.acknowledge(network, ids, Date.now());
        return;
      } catch (error) {
        const text = String(error);
        const isRefused = /returned (400|401|403|404|409|413|415)/.test(text);
        ledger.countAttempt('file', isRefused ? 'fail' : 'unknown');
        if (isRefused || /returned 500|condition not met/.test(text)) addFailure(`a file: ${text}`);
        if (isRefused) return;
        await sleep(2_000);
      }
    }
  };

interface RepeatedTask {
  /** Starts no further runs and waits for the active ones. If a run failed, throws its error. */
  stop(): Promise<void>;
}

/** Runs `work` repeatedly. `pauseMs` is the time from one start to the next, and at most `maxConcurrent` runs are active. */
export const startRepeating = (
  work: () => { readonly pauseMs: number; readonly done: Promise<unknown> },
  maxConcurrent = 1,
): RepeatedTask => {
  const end = new AbortController();
  const active = new Set<Promise<unknown>>();
  const running = (async () => {
    while (!end.signal.aborted) {
      const began = performance.now();
      const { pauseMs, done } = work();
      const run = done.finally(() => active.delete(run));
      active.add(run);
      if (active.size >= maxConcurrent) await Promise.race(active);
      const left = pauseMs - (performance.now() - began);
      await sleep(Math.max(0, left), undefined, { signal: end.signal }).catch(() => undefined);
    }
    await Promise.all(active);
  })();
  // Prevents an unhandled rejection; `stop` throws the error.
  running.catch(() => undefined);
  return {
    async stop() {
      end.abort();
      await running;
    },
  };
};

/**
 * Creates the operator, who changes registry entries and mappings during the run. The operator retries a change after a temporary
 * error. Retrying is safe: a change that is already stored has no further effect.
 */
const createOperator = (
  access: Access,
  ledger: Ledger,
  { below, happens }: Random,
  addFailure: (text: string) => void,
) => {
  const postUntilDone = async (kind: string, path: string, body: unknown): Promise<void> => {
    for (;;) {
      try {
        await requestOps(access.service(), 'POST', path, body);
        ledger.countAttempt(kind, 'ok');
        return;
      } catch (error) {
        // 409 means a concurrent change, so it is classified as if the response had `Retry-After`, and the request is repeated.
        const status = statusOf(error);
        const outcome = classifyStatus(status, 200, true);
        ledger.countAttempt(kind, outcome);
        if (outcome === 'fail' || status === 500) addFailure(`${kind}: ${String(error)}`);
        if (outcome === 'fail') return;
        await sleep(1_000);
      }
    }
  };
  let moved = 0;
  return {
    /** Renames a screen and moves it to another floor. Half of these changes take effect at a time in the past. */
    async moveScreen(network: SoakNetwork): Promise<void> {
      const device = createDevice(network, below(network.screens), below(floorCount), `Moved ${(moved += 1)}`);
      const since = happens(0.5) ? { effective_from: new Date(Date.now() - below(60_000)).toISOString() } : {};
      await postUntilDone('registry', '/registry', { devices: [{ ...device, ...since }] });
    },
    /**
     * Registers a new mapping for `soak-1` that reads the duration from one of the two fields that contain it, chosen at random.
     */
    changeMapping: (network: SoakNetwork): Promise<void> =>
      postUntilDone('mapping', '/mappings', createMapping(network, 'soak-1', happens(0.5) ? 'length' : 'seconds')),
    /** Registers the mapping for `soak-2`. The service then projects the plays that it already received in this schema. */
    mapSecondSchema: (network: SoakNetwork): Promise<void> =>
      postUntilDone('mapping', '/mappings', createMapping(network, 'soak-2')),
  };
};

interface TrafficOptions {
  readonly seed: number;
  /** Plays per second, in total for all networks. */
  readonly rate: number;
  readonly endsMs: number;
}

const heartbeatIntervalMs = 20_000;
const fileIntervalMs = 20_000;
const changeIntervalMs = 15_000;
/** Maximum number of concurrent requests per vendor. */
const maxConcurrentRequests = 64;
/** The second schema is mapped after this share of the run. */
const mappedAtShare = 0.5;

/** Starts all traffic to the service. `stop` resolves when every request has a final response. */
export const startTraffic = (
  access: Access,
  ledger: Ledger,
  { seed, rate, endsMs }: TrafficOptions,
  addFailure: (text: string) => void,
): RepeatedTask => {
  const deliver = createDelivery(access, ledger, addFailure);
  const screens = soakNetworks.reduce((sum, network) => sum + network.screens, 0);
  const beganMs = Date.now();
  const mappedAtMs = beganMs + (endsMs - beganMs) * mappedAtShare;
  const operator = createOperator(access, ledger, createRandom(seed + 5), addFailure);
  const uploadFile = createFileUpload(access, ledger, createRandom(seed + 6), addFailure);

  const startTasks = (network: SoakNetwork, vendor: Vendor, random: Random): readonly RepeatedTask[] => {
    const share = (rate * network.screens) / screens;
    const unmappedIds: string[] = [];
    let isMapped = false;
    const sendUnmapped = async () => {
      if (isMapped) return;
      const request = vendor.createUnmapped(Date.now());
      if (await deliver(request)) unmappedIds.push(...request.plays.map(({ id }) => id));
      if (Date.now() < mappedAtMs) return;
      await operator.mapSecondSchema(network);
      ledger.acknowledge(network, unmappedIds, Date.now());
      isMapped = true;
    };
    const plays = startRepeating(() => {
      const request = vendor.createRequest(Date.now());
      return { pauseMs: (request.plays.length / share) * 1_000, done: deliver(request) };
    }, maxConcurrentRequests);
    const every = (pauseMs: number, work: () => Promise<unknown>) => startRepeating(() => ({ pauseMs, done: work() }));
    return [
      plays,
      every(heartbeatIntervalMs, () => deliver(vendor.createHeartbeats(Date.now()))),
      every(fileIntervalMs, () => uploadFile(network, vendor)),
      every(changeIntervalMs, () =>
        random.happens(0.7) ? operator.moveScreen(network) : operator.changeMapping(network),
      ),
      every(10_000, sendUnmapped),
    ];
  };

  const tasks = soakNetworks.flatMap((network, index) => {
    const random = createRandom(seed + 10 * (index + 1));
    return startTasks(network, createVendor(network, random), random);
  });
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
};
