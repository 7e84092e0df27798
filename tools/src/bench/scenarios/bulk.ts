import { type Outcome } from '../harness/report.ts';
import { median } from '../../rig/statistics.ts';
import { join } from 'node:path';
import type { BulkFormat } from '@popsvc/contracts/bulk';
import { uploadObjectKey } from '@popsvc/domain/bulk';
import { openEventStore } from '@popsvc/platform/event-store';
import { openDiskObjectStore } from '@popsvc/platform/object-storage';
import type { BulkBaselineRequest } from '../baselines/bulk.ts';
import { alternate, compare } from '../harness/comparison.ts';
import { measureSlice, readPeakBytes, type Work } from '../harness/process-usage.ts';
import type { Scenario, Sizes } from './scenario.ts';
import { cpuPerUnit, type Side, wallPerUnit } from '../harness/slices.ts';
import type { BulkWorkerRequest } from '../testbed/bulk-worker.ts';
import { createDataFolder, removeDataFolder, type Rig } from '../testbed/testbed.ts';
import { queueFile, registerMapping, uploadFile } from '../traffic/bulk-file.ts';
import { network } from '../traffic/network.ts';

/** Returns the number of pairs to measure. It is lower than `--pairs`, because each measurement processes a whole file. */
const pairsOf = ({ pairs }: Sizes) => Math.max(2, Math.floor(pairs / 4));

/** Measures the processing of a bulk file in one format: parsing, conversion to events, and appending to the log. */
const bulk = async (rig: Rig, sizes: Sizes, format: BulkFormat): Promise<Outcome> => {
  const dir = createDataFolder();
  rig.onClose(() => removeDataFolder(dir));
  const node = await rig.eventStore();
  const store = openEventStore({ url: node.url });
  rig.onClose(() => store.close());
  const objects = await openDiskObjectStore(dir);
  await registerMapping(store);
  const rows = sizes.events;
  const file = await uploadFile(objects, format, rows);
  const path = join(dir, uploadObjectKey(network, file.fileId));

  const baselineWorker = rig.worker(new URL('../baselines/bulk.js', import.meta.url));
  const system = rig.worker(new URL('../testbed/bulk-worker.js', import.meta.url));
  const runStep = (request: BulkWorkerRequest): Promise<Work> => system.request(request);
  const runBaseline = (request: BulkBaselineRequest): Promise<Work> => baselineWorker.request(request);
  await runStep({ step: 'open', storeUrl: node.url, dir });
  const mappedJob = await queueFile(store, file, true);
  const idleBytes = readPeakBytes(system.pid);

  const baselineMeters = { process: baselineWorker.pid };
  const systemMeters = { process: system.pid };
  const [baselineMetersWithStore, systemMetersWithStore] = [
    { ...baselineMeters, store: node.pid },
    { ...systemMeters, store: node.pid },
  ];
  const job = async (mapped: boolean) => {
    const jobId = await queueFile(store, file, mapped);
    return measureSlice(systemMetersWithStore, () => runStep({ step: 'job', jobId }));
  };
  const sides: readonly Side[] = [
    { name: 'F6', slice: () => measureSlice(baselineMeters, () => runBaseline({ baseline: 'parse', path, format })) },
    { name: 'rows', slice: () => measureSlice(systemMeters, () => runStep({ step: 'rows', path, format })) },
    {
      name: 'chunks',
      slice: () => measureSlice(systemMeters, () => runStep({ step: 'chunks', path, format, jobId: mappedJob })),
    },
    {
      name: 'F2',
      slice: () =>
        measureSlice(baselineMetersWithStore, () => runBaseline({ baseline: 'append', url: node.url, rows })),
    },
    { name: 'unmapped', slice: () => job(false) },
    { name: 'mapped', slice: () => job(true) },
  ];
  const blocks = await alternate({ sides, pairs: pairsOf(sizes) });

  const share = { unit: 'µs', reading: 'share' } as const;
  const perSecond = (side: string) => 1_000_000 / median(blocks.flatMap((block) => block[side]!).map(wallPerUnit));
  const speed = (name: string, side: string) => ({ name, value: perSecond(side), unit: 'rows/s' });
  return {
    measures: [
      compare(blocks, { ...share, name: 'CPU a row, read', baseline: 'F6', system: 'rows', cost: cpuPerUnit() }),
      compare(blocks, {
        ...share,
        name: 'CPU a row, read and mapped',
        baseline: 'F6',
        system: 'chunks',
        cost: cpuPerUnit(),
      }),
      compare(blocks, {
        ...share,
        name: 'wall a row, a job without mapping',
        baseline: 'F2',
        system: 'unmapped',
        cost: wallPerUnit,
      }),
      compare(blocks, {
        ...share,
        name: 'wall a row, a job with mapping',
        baseline: 'F2',
        system: 'mapped',
        cost: wallPerUnit,
      }),
      compare(blocks, {
        ...share,
        name: 'CPU a row, a job without mapping',
        baseline: 'F2',
        system: 'unmapped',
        cost: cpuPerUnit(),
      }),
    ],
    figures: [
      speed('parsed alone', 'F6'),
      speed('read', 'rows'),
      speed('raw appends', 'F2'),
      speed('in the log, without mapping', 'unmapped'),
      speed('in the log, with mapping', 'mapped'),
      { name: 'most memory more than idle', value: (readPeakBytes(system.pid) - idleBytes) / 1_048_576, unit: 'MiB' },
    ],
  };
};

export const bulkCsv: Scenario = {
  name: 'bulk-csv',
  about: 'a bulk file in CSV, read, mapped and appended to the log',
  run: (rig, sizes) => bulk(rig, sizes, 'csv'),
};

export const bulkJson: Scenario = {
  name: 'bulk-json',
  about: 'a bulk file in JSON, read, mapped and appended to the log',
  run: (rig, sizes) => bulk(rig, sizes, 'json'),
};

export const bulkNdjson: Scenario = {
  name: 'bulk-ndjson',
  about: 'a bulk file in NDJSON, read, mapped and appended to the log',
  run: (rig, sizes) => bulk(rig, sizes, 'ndjson'),
};
