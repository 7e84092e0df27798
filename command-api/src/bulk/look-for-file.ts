import { UploadReceived, uploadStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { type Upload, uploadObjectKey } from '@popsvc/domain/bulk';
import { findUpload, type KnownUpload, tell } from './bulk-log.ts';
import type { BulkParts } from './bulk-parts.ts';
import { unavailableFiles } from './unavailable-files.ts';

/** Whether the log tells of the file that lies there. */
const isTold = ({ received }: Upload, { sizeBytes, storedAtMs }: { sizeBytes: number; storedAtMs: number }): boolean =>
  received?.sizeBytes === sizeBytes && received.atMs === storedAtMs;

/**
 * The upload, after a look at the store that took the file without us: what is new there is told first. With a store of our own
 * the log knows already.
 */
export const lookForFile = async (parts: BulkParts, known: KnownUpload): Promise<KnownUpload> => {
  const { files } = parts;
  const { upload, revision } = known;
  const { network, vendor, requested } = upload;
  const { fileId } = requested;
  if ('addresses' in files || upload.status === 'claimed' || upload.status === 'expired') return known;
  const facts = await unavailableFiles(files.objects.readMetadata(uploadObjectKey(network, fileId)));
  if (!facts || isTold(upload, facts)) return known;
  const { sizeBytes, storedAtMs } = facts;
  const by = { receivedAt: instantOf(storedAtMs), network, vendor };
  const data = { fileId, sizeBytes, sha256: null };
  if (await tell(parts, uploadStream(fileId), { definition: UploadReceived, data, by, expected: revision }))
    parts.metrics.received(sizeBytes);
  return (await findUpload(parts, fileId)) ?? known;
};
