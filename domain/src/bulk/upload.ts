import {
  type BulkIngestQueued,
  UploadClaimed,
  UploadExpired,
  UploadReceived,
  UploadRequested,
} from '@popsvc/contracts/events';
import { instantMs } from '@popsvc/contracts/time';
import { IllegalTransitionError, type LoggedEvent, ownerOf } from './logged-event.ts';

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

const request = (upload: Upload | undefined, requested: UploadRequested, { metadata }: LoggedEvent): Upload => {
  if (upload) throw new IllegalTransitionError('an upload is requested once');
  const { network, vendor } = ownerOf(metadata);
  const expiresAtMs = instantMs(requested.expiresAt)!;
  return { requested, network, vendor, status: 'requested', expiresAtMs, received: undefined, claim: undefined };
};

/** A file replaces the one before it as long as nobody works with that. */
const receive = (upload: Upload, told: UploadReceived, { metadata }: LoggedEvent): Upload => {
  const { objectKey = uploadObjectKey(upload.network, told.fileId), sizeBytes, sha256 } = told;
  const atMs = instantMs(metadata.receivedAt)!;
  return { ...upload, status: 'received', received: { objectKey, sizeBytes, sha256, atMs } };
};

const claim = (upload: Upload, told: UploadClaimed): Upload => {
  if (!upload.received) throw new IllegalTransitionError('only a file that was received is ingested');
  return { ...upload, status: 'claimed', claim: told };
};

const open = (upload: Upload | undefined, { type }: LoggedEvent): Upload => {
  if (!upload) throw new IllegalTransitionError(`${type} comes before the upload is requested`);
  if (upload.status === 'claimed' || upload.status === 'expired')
    throw new IllegalTransitionError(`${type} comes when the upload is ${upload.status}`);
  return upload;
};

/** The next event of an upload's stream; as with foldJob, unknown types change nothing and illegal moves throw. */
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
