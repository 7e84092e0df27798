import type { BulkIngestQueued, UploadClaimed, UploadRequested } from '@popsvc/contracts/events';
import { IllegalTransitionError } from './logged.ts';

/** A file as its stream tells it. */
export interface Upload {
  readonly requested: UploadRequested;
  readonly network: number;
  readonly vendor: string;
  /** `claimed`: it goes to a bulk job. */
  readonly status: 'requested' | 'received' | 'claimed' | 'expired';
  /** Until when its address takes the file. */
  readonly expiresAtMs: number;
  /** The newest file that was received whole. */
  readonly received: ReceivedFile | undefined;
  /** What the job is to do with it. */
  readonly claim: UploadClaimed | undefined;
}

export interface ReceivedFile {
  readonly objectKey: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly atMs: number;
}

/** An upload that began before its address expired may take so much longer to end. */
export const uploadGraceMs = 3_600_000;

/** How long a file that was received can be ingested. */
export const receivedFileRetentionMs = 24 * 3_600_000;

/** When what there is of a file that is not ingested is removed; from then on neither address nor id are of use. */
export const uploadRemovalMs = ({ received, expiresAtMs }: Upload): number =>
  received ? received.atMs + receivedFileRetentionMs : expiresAtMs + uploadGraceMs;

/** Where the file of an id lies if nothing else is told; whatever else there is of it lies under that key. */
export const uploadObjectKey = (network: number, fileId: string): string => `uploads/${network}/${fileId}`;

/** The job a claimed file goes to, all that it must know. */
export const jobFromClaim = ({ requested, received, claim }: Upload): BulkIngestQueued => {
  if (!received || !claim) throw new IllegalTransitionError('no job has claimed the file');
  const { fileId, fileName, format } = requested;
  const { objectKey, sizeBytes, sha256 } = received;
  const { jobId, schemaVersion, metadata, maxAgeDays } = claim;
  return {
    jobId,
    fileId,
    objectKey,
    fileName,
    format,
    schemaVersion,
    ...(metadata && { metadata }),
    sizeBytes,
    sha256,
    ...(maxAgeDays !== undefined && { maxAgeDays }),
  };
};
