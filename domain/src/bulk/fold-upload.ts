import { UploadClaimed, UploadExpired, UploadReceived, UploadRequested } from '@popsvc/contracts/events';
import { instantMs } from '@popsvc/contracts/time';
import { IllegalTransitionError, type LoggedEvent, ownerOf } from './logged.ts';
import { type Upload, uploadObjectKey } from './upload.ts';

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
