import {
  type BulkIngestQueued,
  UploadClaimed,
  UploadExpired,
  UploadReceived,
  UploadRequested,
} from '@popsvc/contracts/events';
import { instantMs } from '@popsvc/contracts/time';
import { IllegalTransitionError, type LoggedEvent, ownerOf } from './logged-event.ts';

/** The state of an upload, folded from its stream. */
export interface Upload {
  readonly requested: UploadRequested;
  readonly network: number;
  readonly vendor: string;
  /** `claimed`: a bulk job uses the file. */
  readonly status: 'requested' | 'received' | 'claimed' | 'expired';
  /** Expiry of the upload URL. */
  readonly expiresAtMs: number;
  /** The latest completely received file. */
  readonly received: ReceivedFile | undefined;
  /** Parameters of the bulk job. */
  readonly claim: UploadClaimed | undefined;
}

export interface ReceivedFile {
  readonly objectKey: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly atMs: number;
}

/** How long after the expiry of its URL a running upload may still complete. */
export const uploadGraceMs = 3_600_000;

/** How long a received file is kept for ingestion. */
export const receivedFileRetentionMs = 24 * 3_600_000;

/** When a file that is not ingested is removed; from then on its URL and id are invalid. */
export const uploadRemovalMs = ({ received, expiresAtMs }: Upload): number =>
  received ? received.atMs + receivedFileRetentionMs : expiresAtMs + uploadGraceMs;

/** The default object key of a file; parts of the upload are stored under this prefix. */
export const uploadObjectKey = (network: number, fileId: string): string => `uploads/${network}/${fileId}`;

/** Builds the bulk job of a claimed file. */
export const jobFromClaim = ({ requested, received, claim }: Upload): BulkIngestQueued => {
  if (!received || !claim) throw new IllegalTransitionError('the file is not claimed by a job');
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

const request = (upload: Upload | undefined, requested: UploadRequested, { metadata }: LoggedEvent): Upload => {
  if (upload) throw new IllegalTransitionError('an upload is requested once');
  const { network, vendor } = ownerOf(metadata);
  const expiresAtMs = instantMs(requested.expiresAt)!;
  return { requested, network, vendor, status: 'requested', expiresAtMs, received: undefined, claim: undefined };
};

/** A new file replaces the previous one until a job claims it. */
const receive = (upload: Upload, file: UploadReceived, { metadata }: LoggedEvent): Upload => {
  const { objectKey = uploadObjectKey(upload.network, file.fileId), sizeBytes, sha256 } = file;
  const atMs = instantMs(metadata.receivedAt)!;
  return { ...upload, status: 'received', received: { objectKey, sizeBytes, sha256, atMs } };
};

const claim = (upload: Upload, claimed: UploadClaimed): Upload => {
  if (!upload.received) throw new IllegalTransitionError('only a file that was received is ingested');
  return { ...upload, status: 'claimed', claim: claimed };
};

const open = (upload: Upload | undefined, { type }: LoggedEvent): Upload => {
  if (!upload) throw new IllegalTransitionError(`${type} comes before the upload is requested`);
  if (upload.status === 'claimed' || upload.status === 'expired')
    throw new IllegalTransitionError(`${type} comes when the upload is ${upload.status}`);
  return upload;
};

/** Applies the next event of an upload's stream. Unknown types change nothing; an illegal event throws IllegalTransitionError. */
export const foldUpload = (upload: Upload | undefined, event: LoggedEvent): Upload | undefined => {
  const { type, data, metadata } = event;
  const version = metadata.schemaVersion;
  switch (type) {
    case UploadRequested.type:
      return request(upload, UploadRequested.read(data, version), event);
    case UploadReceived.type:
      return receive(open(upload, event), UploadReceived.read(data, version), event);
    case UploadClaimed.type:
      return claim(open(upload, event), UploadClaimed.read(data, version));
    case UploadExpired.type:
      return { ...open(upload, event), status: 'expired' };
    default:
      return upload;
  }
};
