import {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  UploadClaimed,
  UploadExpired,
  UploadRequested,
  uploadStream,
} from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { uploadRemovalMs, uploadObjectKey } from '@popsvc/domain/bulk';
import type { Consumer, Delivery, MessageBus } from '@popsvc/platform/message-bus';
import { findQueuedJob, queueJob } from './jobs.ts';
import { appendBulkEvent, type BulkDependencies, findUpload, type LoggedUpload, recordStoredFile } from './uploads.ts';

const consumer: Consumer = {
  name: 'upload-lifecycle',
  types: [
    UploadRequested.type,
    UploadClaimed.type,
    BulkIngestCompleted.type,
    BulkIngestPartiallyCompleted.type,
    BulkIngestFailed.type,
  ],
  ackTimeoutMs: 60_000,
  // Practically unlimited. UploadRequested is redelivered at least once an hour until the upload expires or is claimed, and an event
  // whose file cannot be removed is redelivered until the removal succeeds.
  maxDeliveries: 1_000_000,
  maxInFlight: 4,
};

/**
 * Maximum time between two checks whether an upload has expired: 1 h. A jump in the system clock can thus delay an expiry by at
 * most 1 h.
 */
const defaultMaxWaitMs = 3_600_000;

/** Delay in ms until the event is delivered again; undefined if no work is left. */
type WaitMs = number | undefined;

/**
 * Starts the background tasks of the upload life cycle:
 * - Expire uploads that are never ingested, and remove their files.
 * - Remove the files of ended jobs.
 * - Queue the job of a claimed upload if the request that claimed the upload failed before queuing the job.
 *
 * Every step is idempotent, so any number of processes may run these tasks.
 */
export const startUploadLifecycle = (
  dependencies: BulkDependencies,
  bus: MessageBus,
  maxWaitMs = defaultMaxWaitMs,
): { stop(): Promise<void> } => {
  const { clock, storage } = dependencies;
  const removeFile = (network: number, fileId: string) => storage.objects.remove(uploadObjectKey(network, fileId));

  const expireUpload = async (fileId: string): Promise<WaitMs> => {
    const logged = await findUpload(dependencies, fileId);
    if (!logged || logged.upload.status === 'claimed') return undefined;
    const isDue = ({ upload }: LoggedUpload) => clock.now() >= uploadRemovalMs(upload);
    // An external object store may contain a file that this service has not recorded yet. Recording it postpones the expiry.
    const current =
      logged.upload.status === 'received' || !isDue(logged) ? logged : await recordStoredFile(dependencies, logged);
    const { upload, revision } = current;
    if (upload.status !== 'expired') {
      if (!isDue(current)) return uploadRemovalMs(upload) - clock.now();
      const { network, vendor } = upload;
      const isAppended = await appendBulkEvent(dependencies, uploadStream(fileId), {
        definition: UploadExpired,
        data: { fileId },
        metadata: { receivedAt: instantOf(clock.now()), network, vendor },
        expected: revision,
      });
      // Another event, such as a received file or a claim, was appended in the meantime. Deliver this event again at once.
      if (!isAppended) return 0;
    }
    await removeFile(upload.network, fileId);
    return undefined;
  };

  const queueClaimedJob = async (fileId: string): Promise<WaitMs> => {
    const known = await findUpload(dependencies, fileId);
    if (known?.upload.status === 'claimed') await queueJob(dependencies, known);
    return undefined;
  };

  const removeFileOfEndedJob = async (jobId: string, network: number | undefined): Promise<WaitMs> => {
    const queued = await findQueuedJob(dependencies, jobId);
    if (queued && network !== undefined) await removeFile(network, queued.fileId);
    return undefined;
  };

  const handle = async (delivery: Delivery): Promise<void> => {
    const { type, metadata } = delivery;
    const { fileId = '', jobId = '' } = delivery.data as { fileId?: string; jobId?: string };
    let waitMs: WaitMs;
    if (type === UploadRequested.type) waitMs = await expireUpload(fileId);
    else if (type === UploadClaimed.type) waitMs = await queueClaimedJob(fileId);
    else waitMs = await removeFileOfEndedJob(jobId, metadata.network);
    await (waitMs === undefined
      ? delivery.acknowledge()
      : delivery.redeliverAfter(Math.min(Math.max(waitMs, 0), maxWaitMs)));
  };

  const end = new AbortController();
  const consuming = bus.consume(consumer, handle, end.signal);
  return {
    async stop() {
      end.abort();
      await consuming.catch(() => undefined);
    },
  };
};
