import { join } from 'node:path';
import type { BulkFormat } from '@popsvc/contracts/bulk';
import { uploadObjectKey } from '@popsvc/domain/bulk';
import { openEventStore } from '@popsvc/platform/event-store';
import { openDiskObjectStore } from '@popsvc/platform/object-storage';
import type { BulkBaseline } from '../baselines/bulk.ts';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measure, readPeakBytes, type Work } from '../harness/processes.ts';
import type { Outcome, Sizes } from '../harness/scenario.ts';
import { cpuPerUnit, type Side, wallPerUnit } from '../harness/slice.ts';
import { median } from '../../rig/statistics.ts';
import type { BulkStep } from '../testbed/bulk-system.ts';
import { createDataFolder, removeDataFolder } from '../testbed/rig-folder.ts';
import type { Testbed } from '../testbed/rig.ts';
import { queueFile, registerMapping, uploadFile } from '../traffic/bulk-file.ts';
import { network } from '../traffic/registry.ts';

/** A slice is a whole file, so there are fewer of them. */
const pairsOf = ({ pairs }: Sizes) => Math.max(2, Math.floor(pairs / 4));

/** A file of one format: only parsed, made into events, and brought into the log. */
export const bulk = async (rig: Testbed, sizes: Sizes, format: BulkFormat): Promise<Outcome> => {
  const dir = createDataFolder();
  rig.addCleanup(() => removeDataFolder(dir));
  const [node, databaseUrl] = [await rig.eventStore(), await rig.postgres()];
  const store = openEventStore({ url: node.url });
  rig.addCleanup(() => store.close());
  const objects = await openDiskObjectStore(dir);
  await registerMapping(store);
  const rows = sizes.events;
  const file = await uploadFile(objects, format, rows);
  const path = join(dir, uploadObjectKey(network, file.fileId));

  const baseline = rig.worker(new URL('../baselines/bulk.js', import.meta.url));
  const system = rig.worker(new URL('../testbed/bulk-system.js', import.meta.url));
  const ask = (step: BulkStep): Promise<Work> => system.request(step);
  const requestBaseline = (asked: BulkBaseline): Promise<Work> => baseline.request(asked);
  await ask({ step: 'open', storeUrl: node.url, databaseUrl, dir });
  const mappedJob = await queueFile(store, file, true);
  const idleBytes = readPeakBytes(system.pid);

  const [alone, own] = [{ process: baseline.pid }, { process: system.pid }];
  const [baselineWithStore, withStore] = [
    { ...alone, store: node.pid },
    { ...own, store: node.pid },
  ];
  const job = async (mapped: boolean) => {
    const jobId = await queueFile(store, file, mapped);
    return measure(withStore, () => ask({ step: 'job', jobId }));
  };
  const sides: readonly Side[] = [
    { name: 'F6', slice: () => measure(alone, () => requestBaseline({ baseline: 'parse', path, format })) },
    { name: 'rows', slice: () => measure(own, () => ask({ step: 'rows', path, format })) },
    { name: 'chunks', slice: () => measure(own, () => ask({ step: 'chunks', path, format, jobId: mappedJob })) },
    {
      name: 'F2',
      slice: () => measure(baselineWithStore, () => requestBaseline({ baseline: 'append', url: node.url, rows })),
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
      compare(blocks, { ...share, name: 'CPU a row, read', baseline: 'F6', system: 'rows', of: cpuPerUnit() }),
      compare(blocks, {
        ...share,
        name: 'CPU a row, read and mapped',
        baseline: 'F6',
        system: 'chunks',
        of: cpuPerUnit(),
      }),
      compare(blocks, {
        ...share,
        name: 'wall a row, a job without mapping',
        baseline: 'F2',
        system: 'unmapped',
        of: wallPerUnit,
      }),
      compare(blocks, {
        ...share,
        name: 'wall a row, a job with mapping',
        baseline: 'F2',
        system: 'mapped',
        of: wallPerUnit,
      }),
      compare(blocks, {
        ...share,
        name: 'CPU a row, a job without mapping',
        baseline: 'F2',
        system: 'unmapped',
        of: cpuPerUnit(),
      }),
    ],
    metrics: [
      speed('parsed alone', 'F6'),
      speed('read', 'rows'),
      speed('raw appends', 'F2'),
      speed('in the log, without mapping', 'unmapped'),
      speed('in the log, with mapping', 'mapped'),
      { name: 'most memory more than idle', value: (readPeakBytes(system.pid) - idleBytes) / 1_048_576, unit: 'MiB' },
    ],
  };
};
