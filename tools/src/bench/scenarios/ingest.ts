import { intakeStream } from '@popsvc/contracts/events';
import type { AppendEvents } from '../baselines/append-events.ts';
import { alternate, mergeBlocks } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measure, type Work } from '../harness/processes.ts';
import { type Outcome, type Sizes, sliceMs, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, type Side, type Slice, wallPerUnit } from '../harness/slice.ts';
import { median, quantile } from '../../rig/statistics.ts';
import { connections, intakePath, openIntake } from '../testbed/intake.ts';
import type { Testbed } from '../testbed/rig.ts';
import { network } from '../traffic/registry.ts';

const p99 = ({ latenciesMs }: Slice): number => quantile(latenciesMs, 0.99);

/** Plays pushed over HTTP until they are durable, so many a request. */
export const ingest = async (rig: Testbed, { pairs }: Sizes, events: number): Promise<Outcome> => {
  const [store, intake] = [await rig.eventStore(), await openIntake(rig)];
  const echo = rig.worker(new URL('../baselines/json-echo.js', import.meta.url));
  const express = rig.worker(new URL('../baselines/express-echo.js', import.meta.url));
  const raw = rig.worker(new URL('../baselines/append-events.js', import.meta.url));
  const urlOf = (port: number) => `http://127.0.0.1:${port}${intakePath}`;
  const [echoUrl, expressUrl] = [urlOf(await echo.request<number>({})), urlOf(await express.request<number>({}))];

  const append = (): Promise<Work> => {
    const stream = intakeStream('pop', network, 'raw', Date.now());
    const asked: AppendEvents = { url: store.url, stream, events, concurrency: connections, forMs: sliceMs };
    return raw.request(asked);
  };
  const { service, url, checkedUrl, post } = intake;
  const check = () => post({ url: checkedUrl, status: 200, events });
  const sides: readonly Side[] = [
    { name: 'F0', slice: () => measure({ echo: echo.pid }, () => post({ url: echoUrl, events })) },
    { name: 'F1', slice: () => measure({ echo: express.pid }, () => post({ url: expressUrl, events })) },
    { name: 'checked', slice: () => measure({ service: service.pid }, check) },
    { name: 'F2', slice: () => measure({ client: raw.pid, store: store.pid }, append) },
    {
      name: 'system',
      slice: () => measure({ service: service.pid, store: store.pid }, () => post({ url, events })),
    },
  ];
  const blocks = await alternate({ sides, pairs, warmUpMs });

  const share = { unit: 'µs', system: 'system', reading: 'share' } as const;
  const serverAlone = { ...share, of: cpuPerUnit('echo', 'service') };
  const times = { baseline: 'F2', system: 'system', reading: 'times', unit: 'ms' } as const;
  const slices = (side: string) => blocks.flatMap((block) => block[side]!);
  const latencies = (side: string) => slices(side).flatMap(({ latenciesMs }) => latenciesMs);
  const perSecond = (side: string) => 1_000_000 / median(slices(side).map(wallPerUnit));
  return {
    measures: [
      compare(blocks, { ...serverAlone, name: 'CPU an event, only checked', baseline: 'F0', system: 'checked' }),
      compare(blocks, { ...serverAlone, name: 'CPU an event, only checked', baseline: 'F1', system: 'checked' }),
      compare(blocks, { ...serverAlone, name: 'CPU an event, the server', baseline: 'F0' }),
      compare(blocks, { ...share, name: 'CPU an event, all', baseline: 'F2', of: cpuPerUnit() }),
      compare(blocks, { ...share, name: 'wall an event', baseline: 'F2', of: wallPerUnit }),
      compare(mergeBlocks(blocks, 4), { ...times, name: 'p99 of a request', of: p99 }),
    ],
    metrics: [
      { name: 'accepted and durable', value: perSecond('system'), unit: 'events/s' },
      { name: 'raw appends', value: perSecond('F2'), unit: 'events/s' },
      { name: 'request, p50', value: median(latencies('system')), unit: 'ms' },
      { name: 'request, p99', value: quantile(latencies('system'), 0.99), unit: 'ms' },
      { name: 'raw append, p99', value: quantile(latencies('F2'), 0.99), unit: 'ms' },
    ],
  };
};
