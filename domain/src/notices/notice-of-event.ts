import {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  type EventMetadata,
} from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { NoticeOf } from '@popsvc/contracts/webhooks';
import { readLivenessChange } from '../status/index.ts';
import type { NewNotice } from './new-notice.ts';

/** `data` has the current schema version. */
export interface NoticedEvent {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: Pick<EventMetadata, 'network' | 'vendor'>;
  readonly position: bigint;
  readonly recordedAtMs: number;
}

const jobStatuses: Readonly<Record<string, NoticeOf<'job.finished'>['data']['status']>> = {
  [BulkIngestCompleted.type]: 'completed',
  [BulkIngestPartiallyCompleted.type]: 'partially_completed',
  [BulkIngestFailed.type]: 'failed',
};

const noticeOfJob = ({ type, data, metadata, position, recordedAtMs }: NoticedEvent): NewNotice | undefined => {
  const status = jobStatuses[type];
  const { network, vendor } = metadata;
  if (status === undefined || network === undefined || vendor === undefined) return undefined;
  const { jobId, totalRows, processedRows, errorRows } = data as BulkIngestCompleted | BulkIngestFailed;
  return {
    notice: {
      type: 'job.finished',
      timestamp: instantOf(recordedAtMs),
      data: {
        network_id: network,
        vendor,
        job_id: jobId,
        status,
        total_rows: totalRows,
        processed_rows: processedRows,
        error_rows: errorRows,
      },
    },
    key: jobId,
    cause: position,
  };
};

const noticeOfOutage = ({ type, data, metadata, position }: NoticedEvent): NewNotice | undefined => {
  const found = readLivenessChange(type, data);
  if (!found || metadata.network === undefined) return undefined;
  const { change, subject } = found;
  const about = { network_id: metadata.network, ...subject };
  if (change.status === 'offline') {
    const offlineAt = instantOf(change.offlineAtMs);
    const times = { offline_at: offlineAt, last_received_at: instantOf(change.lastReceivedMs) };
    return {
      notice: { type: 'outage.opened', timestamp: offlineAt, data: { ...about, ...times } },
      key: `${subject.kind}.${subject.id} ${offlineAt}`,
      cause: position,
    };
  }
  // The first heartbeat of a device or feeder ends no outage.
  if (change.offlineSinceMs === null) return undefined;
  const onlineAt = instantOf(change.onlineAtMs);
  const times = { offline_at: instantOf(change.offlineSinceMs), online_at: onlineAt };
  return {
    notice: { type: 'outage.closed', timestamp: onlineAt, data: { ...about, ...times } },
    key: `${subject.kind}.${subject.id} ${onlineAt}`,
    cause: position,
  };
};

export const noticeOfEvent = (event: NoticedEvent): NewNotice | undefined =>
  noticeOfJob(event) ?? noticeOfOutage(event);
