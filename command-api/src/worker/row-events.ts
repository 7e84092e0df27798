import { DynamicPopRecorded } from '@popsvc/contracts/events';
import type { NewEvent } from '@popsvc/platform/event-store';
import { numberedIds } from '../intake/event-ids.ts';
import type { JobInLog } from './job-in-log.ts';

export interface RowEvent {
  readonly event: NewEvent;
  /** Of its data, in the log. */
  readonly bytes: number;
}

/** Rows become events that are the same in every attempt, whenever that is: UUIDv5(job, row), received when the job was queued. */
export const rowEvents = ({ job, queued: { id, metadata } }: JobInLog) => {
  const { jobId, schemaVersion, maxAgeDays } = job.queued;
  const idOf = numberedIds(Buffer.from(jobId.replaceAll('-', ''), 'hex'));
  const shared = { schemaVersion, ...(maxAgeDays !== undefined && { maxAgeDays }) };
  const frameBytes = Buffer.byteLength(JSON.stringify({ ...shared, event: 0, bulk: { jobId, row: 2 ** 32 } }));
  const ofJob: NewEvent['metadata'] = {
    schemaVersion: DynamicPopRecorded.version,
    receivedAt: metadata.receivedAt,
    network: job.network,
    vendor: job.vendor,
    ...(job.keyId !== undefined && { keyId: job.keyId }),
    correlationId: jobId,
    causationId: id,
  };
  return (row: number, event: Readonly<Record<string, unknown>>): RowEvent => ({
    bytes: frameBytes + Buffer.byteLength(JSON.stringify(event)),
    event: {
      id: idOf(row),
      type: DynamicPopRecorded.type,
      data: { ...shared, event, bulk: { jobId, row } } satisfies DynamicPopRecorded,
      metadata: ofJob,
    },
  });
};
