import {
  type BulkIngestQueued,
  UploadClaimed,
  UploadExpired,
  UploadReceived,
  UploadRequested,
} from '@popsvc/contracts/events';
import { instantMs } from '@popsvc/contracts/time';
import { IllegalTransitionError, type LoggedEvent, ownerOf } from './logged-event.ts';

export interface Upload {
  readonly requested: UploadRequested;
  readonly network: number;
  readonly vendor: string;
  /** `claimed`: a vendor has requested a bulk job for the file. */
  readonly status: 'requested' | 'received' | 'claimed' | 'expired';
  readonly expiresAtMs: number;
  /** The last file that was received completely. */
  readonly received: ReceivedFile | undefined;
  readonly claim: UploadClaimed | undefined;
}

export interface ReceivedFile {
  readonly objectKey: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly atMs: number;
}

/** How long an upload to an external object store may continue after its URL has expired. */
export const uploadGraceMs = 3_600_000;

/** How long a received file is kept if no bulk job is requested for it. */
export const receivedFileRetentionMs = 24 * 3_600_000;

/** From this time on (ms since 1970), a file that no job has claimed is removed. */
export const uploadRemovalMs = ({ received, expiresAtMs }: Upload): number =>
  received ? received.atMs + receivedFileRetentionMs : expiresAtMs + uploadGraceMs;

/** The object key of a direct upload to an external object store, and the prefix of the keys of files that the service receives. */
export const uploadObjectKey = (network: number, fileId: string): string => `uploads/${network}/${fileId}`;

export const jobFromClaim = ({ requested, received, claim }: Upload): BulkIngestQueued => {
  if (!received || !claim) throw new IllegalTransitionError(`upload ${requested.fileId} is not claimed by a job`);
  const { fileId, fileName, format } = requested;
  const { objectKey, sizeBytes, sha256 } = received;
  const { jobId, schemaVersion, metadata, delimiter, maxAgeDays } = claim;
  return {
    jobId,
    fileId,
    objectKey,
    fileName,
    format,
    schemaVersion,
    ...(metadata && { metadata }),
    ...(delimiter && { delimiter }),
    sizeBytes,
    sha256,
    ...(maxAgeDays !== undefined && { maxAgeDays }),
  };
};

const request = (upload: Upload | undefined, requested: UploadRequested, { metadata }: LoggedEvent): Upload => {
  if (upload) throw new IllegalTransitionError(`upload ${requested.fileId} was already requested`);
  const { network, vendor } = ownerOf(metadata);
  const expiresAtMs = instantMs(requested.expiresAt)!;
  return { requested, network, vendor, status: 'requested', expiresAtMs, received: undefined, claim: undefined };
};

const receive = (upload: Upload, file: UploadReceived, { metadata }: LoggedEvent): Upload => {
  const { objectKey = uploadObjectKey(upload.network, file.fileId), sizeBytes, sha256 } = file;
  const atMs = instantMs(metadata.receivedAt)!;
  return { ...upload, status: 'received', received: { objectKey, sizeBytes, sha256, atMs } };
};

const claim = (upload: Upload, claimed: UploadClaimed): Upload => {
  if (!upload.received)
    throw new IllegalTransitionError(`cannot claim upload ${upload.requested.fileId}: no file was received`);
  return { ...upload, status: 'claimed', claim: claimed };
};

const open = (upload: Upload | undefined, { type }: LoggedEvent): Upload => {
  if (!upload) throw new IllegalTransitionError(`${type} is not allowed before the upload is requested`);
  if (upload.status === 'claimed' || upload.status === 'expired')
    throw new IllegalTransitionError(
      `${type} is not allowed: upload ${upload.requested.fileId} is already ${upload.status}`,
    );
  return upload;
};

/**
 * Ignores unknown event types. Throws IllegalTransitionError for an event that the state of the upload does not allow, and another error
 * for data that cannot be read.
 */
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
