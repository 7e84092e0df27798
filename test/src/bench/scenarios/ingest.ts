import { intakeStream } from '@popsvc/contracts/events';
import { createApiKey } from '@popsvc/platform/auth';
import type { AppendEvents } from '../floors/append-events.ts';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measured, type Work } from '../harness/processes.ts';
import { type Outcome, type Sizes, sliceMs, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, type Side, wallPerUnit } from '../harness/slice.ts';
import { median, quantile } from '../harness/statistics.ts';
import type { Rig } from '../rig/rig.ts';
import { withRecords } from '../rig/records.ts';
import type { PostRequests } from '../traffic/post-requests.ts';
import { network, vendor } from '../traffic/registry.ts';
import { unlimited } from '../traffic/unlimited.ts';

const connections = 16;
const path = '/popsvc/v1/pop/events';

/** Plays pushed over HTTP until they are durable, so many a request. */
export const ingest = async (rig: Rig, { pairs }: Sizes, events: number): Promise<Outcome> => {
  const [store, service] = [await rig.eventStore(), await rig.service('command-api')];
  const key = await withRecords(await rig.records(), (records) =>
    createApiKey(records, { vendor, networkId: network, ...unlimited }),
  );
  const load = rig.worker(new URL('../traffic/post-requests.js', import.meta.url));
  const echo = rig.worker(new URL('../floors/json-echo.js', import.meta.url));
  const raw = rig.worker(new URL('../floors/append-events.js', import.meta.url));
  const echoPort = await echo.ask<number>({});

  const headers = { 'x-api-key': key.apiKey, 'content-type': 'application/json' };
  const post = (url: string, status = 202): Promise<Work> => {
    const asked: PostRequests = { url, status, headers, events, connections, forMs: sliceMs };
    return load.ask(asked);
  };
  const append = (): Promise<Work> => {
    const stream = intakeStream('pop', network, 'raw', Date.now());
    const asked: AppendEvents = { url: store.url, stream, events, concurrency: connections, forMs: sliceMs };
    return raw.ask(asked);
  };
  const [url, echoUrl] = [service.url + path, `http://127.0.0.1:${echoPort}${path}`];
  const sides: readonly Side[] = [
    { name: 'F0', slice: () => measured({ echo: echo.pid }, () => post(echoUrl)) },
    { name: 'checked', slice: () => measured({ service: service.pid }, () => post(`${url}?validate_only=true`, 200)) },
    { name: 'F2', slice: () => measured({ client: raw.pid, store: store.pid }, append) },
    { name: 'system', slice: () => measured({ service: service.pid, store: store.pid }, () => post(url)) },
  ];
  const blocks = await alternate({ sides, pairs, warmUpMs });

  const share = { unit: 'µs', system: 'system', reading: 'share' } as const;
  const serverAlone = { ...share, floor: 'F0', of: cpuPerUnit('echo', 'service') };
  const slices = (side: string) => blocks.flatMap((block) => block[side]!);
  const latencies = (side: string) => slices(side).flatMap(({ latenciesMs }) => latenciesMs);
  const perSecond = (side: string) => 1_000_000 / median(slices(side).map(wallPerUnit));
  return {
    measures: [
      compare(blocks, { ...serverAlone, name: 'CPU an event, only checked', system: 'checked' }),
      compare(blocks, { ...serverAlone, name: 'CPU an event, the server' }),
      compare(blocks, { ...share, name: 'CPU an event, all', floor: 'F2', of: cpuPerUnit() }),
      compare(blocks, { ...share, name: 'wall an event', floor: 'F2', of: wallPerUnit }),
    ],
    figures: [
      { name: 'accepted and durable', value: perSecond('system'), unit: 'events/s' },
      { name: 'raw appends', value: perSecond('F2'), unit: 'events/s' },
      { name: 'request, p50', value: median(latencies('system')), unit: 'ms' },
      { name: 'request, p99', value: quantile(latencies('system'), 0.99), unit: 'ms' },
      { name: 'raw append, p99', value: quantile(latencies('F2'), 0.99), unit: 'ms' },
    ],
  };
};
