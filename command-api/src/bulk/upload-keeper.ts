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
import type { MessageBus, Consumer, Delivery } from '@popsvc/platform/message-bus';
import { findQueued, findUpload, tell } from './bulk-log.ts';
import type { BulkParts } from './bulk-parts.ts';
import { lookForFile } from './look-for-file.ts';
import { queueJob } from './queue-job.ts';

const consumer: Consumer = {
  name: 'upload-keeper',
  types: [
    UploadRequested.type,
    UploadClaimed.type,
    BulkIngestCompleted.type,
    BulkIngestPartiallyCompleted.type,
    BulkIngestFailed.type,
  ],
  ackTimeoutMs: 60_000,
  // A timer comes again as often as it is put off; what cannot be cleared away now can be later.
  maxDeliveries: 1_000_000,
  maxInFlight: 4,
};

/** So that a clock that is set forward does not keep a timer asleep for a day. */
const standardSleepMs = 3_600_000;

/** Until when to wait; undefined when nothing is left to do. */
type Wait = number | undefined;

/**
 * Does what is due for uploads whoever is still there: files that nobody ingests expire and are removed, those of ended jobs are
 * removed, and a claim whose maker died before he queued the job gets it. Any number of processes may do so at a time, and
 * everything may be done twice.
 */
export const keepUploads = (
  parts: BulkParts,
  bus: MessageBus,
  longestSleepMs = standardSleepMs,
): { stop(): Promise<void> } => {
  const { clock, files } = parts;
  const removeFile = (network: number, fileId: string) => files.objects.remove(uploadObjectKey(network, fileId));

  const expire = async (fileId: string): Promise<Wait> => {
    const told = await findUpload(parts, fileId);
    if (!told || told.upload.status === 'claimed') return undefined;
    const isDue = (known: typeof told) => clock.now() >= uploadRemovalMs(known.upload);
    const known = told.upload.status === 'received' || !isDue(told) ? told : await lookForFile(parts, told);
    const { upload, revision } = known;
    if (upload.status !== 'expired') {
      if (!isDue(known)) return uploadRemovalMs(upload) - clock.now();
      const { network, vendor } = upload;
      const by = { receivedAt: instantOf(clock.now()), network, vendor };
      const telling = { definition: UploadExpired, data: { fileId }, by, expected: revision };
      // A file or a claim came in between.
      if (!(await tell(parts, uploadStream(fileId), telling))) return 0;
    }
    await removeFile(upload.network, fileId);
    return undefined;
  };

  const queue = async (fileId: string): Promise<Wait> => {
    const known = await findUpload(parts, fileId);
    if (known?.upload.status === 'claimed') await queueJob(parts, known);
    return undefined;
  };

  const clear = async (jobId: string, network: number | undefined): Promise<Wait> => {
    const queued = await findQueued(parts, jobId);
    if (queued && network !== undefined) await removeFile(network, queued.fileId);
    return undefined;
  };

  const handle = async (delivery: Delivery): Promise<void> => {
    const { type, metadata } = delivery;
    const { fileId = '', jobId = '' } = delivery.data as { fileId?: string; jobId?: string };
    const wait =
      type === UploadRequested.type
        ? await expire(fileId)
        : type === UploadClaimed.type
          ? await queue(fileId)
          : await clear(jobId, metadata.network);
    await (wait === undefined
      ? delivery.acknowledge()
      : delivery.redeliverAfter(Math.min(Math.max(wait, 0), longestSleepMs)));
  };

  const end = new AbortController();
  const done = bus.consume(consumer, handle, end.signal);
  return {
    async stop() {
      end.abort();
      await done.catch(() => undefined);
    },
  };
};
