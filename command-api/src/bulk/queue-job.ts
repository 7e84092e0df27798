import { BulkIngestQueued, bulkJobStream } from '@popsvc/contracts/events';
import { jobFromClaim } from '@popsvc/domain/bulk';
import { tell, type KnownUpload } from './bulk-log.ts';
import type { BulkParts } from './bulk-parts.ts';

/** Queues the job that has claimed a file; false when that is done already. Whoever made the claim asks for it. */
export const queueJob = async (parts: BulkParts, { upload, last }: KnownUpload): Promise<boolean> => {
  const data = jobFromClaim(upload);
  // A claim is the last event of its stream; whose it is, the job is.
  const by = { ...last.metadata, causationId: last.id };
  const stream = bulkJobStream(data.jobId);
  const telling = {
    definition: BulkIngestQueued,
    data,
    by,
    expected: 'no_stream',
  } as const;
  const isNew = await tell(parts, stream, telling);
  if (isNew) parts.metrics.queued();
  return isNew;
};
