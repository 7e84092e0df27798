import { parkingStream, streamPrefixes } from '@popsvc/contracts/events';
import { bulkJobs } from '@popsvc/read-models/tables';
import { openBatches, together } from '../../engine/open-batches.ts';
import type { Fold, Projection } from '../../engine/projection.ts';
import { readEvent } from '../../engine/read-event.ts';
import { jobEventTypes, jobRows } from './job-rows.ts';

const facts = { bulkJobs };

const start = (): Fold => {
  const open = openBatches(facts);
  return {
    recall: () => undefined,
    take(event) {
      together([open.of.bulkJobs], () => {
        for (const row of jobRows(event, readEvent(event))) open.of.bulkJobs.add(row);
      });
    },
    get pending() {
      return open.pending;
    },
    seal: () => ({ inserts: open.seal() }),
  };
};

/** How bulk jobs stand, for operators: vendors are told from the log. */
export const jobsProjection: Projection = {
  name: 'jobs',
  version: 1,
  reads: [streamPrefixes.bulkJob, streamPrefixes.probe, parkingStream('jobs')],
  recalls: [],
  rowOfEach: jobEventTypes,
  tables: Object.values(facts),
  rebuild: { facts: Object.values(facts) },
  start,
};
