import { cpuPerUnit, p99, type Side, sliceMs, wallPerUnit, warmUpMs } from '../harness/slices.ts';
import { type Outcome } from '../harness/report.ts';
import { median, quantile } from '../../rig/statistics.ts';
import { intakeStream } from '@popsvc/contracts/events';
import type { AppendEvents } from '../baselines/append-events.ts';
import { alternate, mergeIntoGroups, compare } from '../harness/comparison.ts';
import { measureSlice, type Work } from '../harness/process-usage.ts';
import { type Scenario, type Sizes } from './scenario.ts';
import type { Rig } from '../testbed/testbed.ts';
import { connections, intakePath, openIntake } from '../testbed/systems.ts';
import { network } from '../traffic/network.ts';

/** Measures the time and CPU cost of receiving plays over HTTP and storing them durably, with `events` plays per request. */
const ingest = async (rig: Rig, { pairs }: Sizes, events: number): Promise<Outcome> => {
  const [store, intake] = [await rig.eventStore(), await openIntake(rig)];
  const echo = rig.worker(new URL('../baselines/json-echo.js', import.meta.url));
  const express = rig.worker(new URL('../baselines/express-echo.js', import.meta.url));
  const raw = rig.worker(new URL('../baselines/append-events.js', import.meta.url));
  const urlOf = (port: number) => `http://127.0.0.1:${port}${intakePath}`;
  const [echoUrl, expressUrl] = [urlOf(await echo.request<number>({})), urlOf(await express.request<number>({}))];

  const append = (): Promise<Work> => {
    const stream = intakeStream('pop', network, 'raw', Date.now());
    const request: AppendEvents = { url: store.url, stream, events, concurrency: connections, forMs: sliceMs };
    return raw.request(request);
  };
  const { service, url, checkedUrl, post } = intake;
  const check = () => post({ url: checkedUrl, status: 200, events });
  const sides: readonly Side[] = [
    { name: 'F0', slice: () => measureSlice({ echo: echo.pid }, () => post({ url: echoUrl, events })) },
    { name: 'F1', slice: () => measureSlice({ echo: express.pid }, () => post({ url: expressUrl, events })) },
    { name: 'checked', slice: () => measureSlice({ service: service.pid }, check) },
    { name: 'F2', slice: () => measureSlice({ client: raw.pid, store: store.pid }, append) },
    {
      name: 'system',
      slice: () => measureSlice({ service: service.pid, store: store.pid }, () => post({ url, events })),
    },
  ];
  const blocks = await alternate({ sides, pairs, warmUpMs });

  const share = { unit: 'µs', system: 'system', reading: 'share' } as const;
  const serverAlone = { ...share, cost: cpuPerUnit('echo', 'service') };
  const times = { baseline: 'F2', system: 'system', reading: 'times', unit: 'ms' } as const;
  const slices = (side: string) => blocks.flatMap((block) => block[side]!);
  const latencies = (side: string) => slices(side).flatMap(({ latenciesMs }) => latenciesMs);
  const perSecond = (side: string) => 1_000_000 / median(slices(side).map(wallPerUnit));
  return {
    measures: [
      compare(blocks, { ...serverAlone, name: 'CPU an event, only checked', baseline: 'F0', system: 'checked' }),
      compare(blocks, { ...serverAlone, name: 'CPU an event, only checked', baseline: 'F1', system: 'checked' }),
      compare(blocks, { ...serverAlone, name: 'CPU an event, the server', baseline: 'F0' }),
      compare(blocks, { ...share, name: 'CPU an event, all', baseline: 'F2', cost: cpuPerUnit() }),
      compare(blocks, { ...share, name: 'wall an event', baseline: 'F2', cost: wallPerUnit }),
      compare(mergeIntoGroups(blocks, 4), { ...times, name: 'p99 of a request', cost: p99 }),
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

export const ingest1: Scenario = {
  name: 'ingest-1',
  about: 'POST of one play over sixteen connections, until it is durable',
  run: (rig, sizes) => ingest(rig, sizes, 1),
};

export const ingest100: Scenario = {
  name: 'ingest-100',
  about: 'POST of a hundred plays over sixteen connections, until they are durable',
  run: (rig, sizes) => ingest(rig, sizes, 100),
};

export const ingestAgain: Scenario = {
  name: 'ingest-again',
  about: 'POST of a hundred plays that were all sent before, compared with new plays',
  async run(rig, { pairs }) {
    const [store, { service, url, post }] = [await rig.eventStore(), await openIntake(rig)];
    const side = (name: string, repeat: boolean): Side => ({
      name,
      slice: () =>
        measureSlice({ service: service.pid, store: store.pid }, () =>
          post({ url, events: 100, ...(repeat && { repeat }) }),
        ),
    });
    const blocks = await alternate({ sides: [side('first', false), side('again', true)], pairs, warmUpMs });
    const times = { unit: 'µs', baseline: 'first', system: 'again', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU an event, sent again', cost: cpuPerUnit() }),
        compare(blocks, { ...times, name: 'wall an event, sent again', cost: wallPerUnit }),
      ],
      figures: [],
    };
  },
};

export const ingestBatches: Scenario = {
  name: 'ingest-batches',
  about: 'validation of a play in a request of a hundred plays, compared with a play in a separate request',
  async run(rig, { pairs }) {
    const { service, checkedUrl: url, post } = await openIntake(rig);
    const side = (name: string, events: number): Side => ({
      name,
      slice: () => measureSlice({ service: service.pid }, () => post({ url, status: 200, events })),
    });
    const blocks = await alternate({ sides: [side('alone', 1), side('hundred', 100)], pairs, warmUpMs });
    const name = 'CPU an event, checked by the hundred';
    const comparison = { name, unit: 'µs', baseline: 'alone', system: 'hundred', reading: 'times' } as const;
    return { measures: [compare(blocks, { ...comparison, cost: cpuPerUnit() })], figures: [] };
  },
};
