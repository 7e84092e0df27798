import { StartBulkIngest } from '@popsvc/contracts/commands';
import { UploadClaimed, uploadStream } from '@popsvc/contracts/events';
import { uploadRemovalMs } from '@popsvc/domain/bulk';
import type { ApiKeyPrincipal } from '@popsvc/platform/auth';
import { parseBody, invalidRequestError, jsonResponse } from '@popsvc/platform/http';
import { v5, validate } from 'uuid';
import type { TryRequest } from '../idempotency/index.ts';
import { findUpload, type KnownUpload, tell } from './bulk-log.ts';
import type { BulkParts } from './bulk-parts.ts';
import { jobView } from './job-view.ts';
import { lookForFile } from './look-for-file.ts';
import { queueJob } from './queue-job.ts';
import { senderOf } from './sender-of.ts';

const wrongFile = (message: string) => invalidRequestError([{ path: 'fileId', message }]);

/** The job of a file: there is one, however often it is asked for. */
export const jobIdOf = (fileId: string): string => v5('bulk-job', fileId);

/** Has an uploaded file ingested. The claim in the stream of the upload decides; the job follows from it. */
export const startIngest = (parts: BulkParts): TryRequest => {
  const find = jobView(parts);
  return async (asked, { onlyAsks, receivedAtMs }) => {
    const { fileId, schemaVersion, metadata } = parseBody(StartBulkIngest, asked.body);
    const jobId = validate(fileId) ? jobIdOf(fileId) : '';
    for (;;) {
      const known = await ownUpload(parts, asked.principal as ApiKeyPrincipal, fileId);
      const { claim } = known.upload;
      if (claim && claim.schemaVersion !== schemaVersion)
        throw invalidRequestError([
          { path: 'schemaVersion', message: `is ${claim.schemaVersion} in the job of this file` },
        ]);
      if (!claim) refuseFile(known, parts);
      if (onlyAsks) return jsonResponse(200, { message: 'Valid; nothing was stored.' });
      if (claim) {
        const isNew = await queueJob(parts, known);
        return jsonResponse(202, { jobId, message: isNew ? 'The job is queued.' : await toldBefore(find, jobId) });
      }
      const { maxAgeDays } = parts;
      await tell(parts, uploadStream(fileId), {
        definition: UploadClaimed,
        data: {
          fileId,
          jobId,
          schemaVersion,
          ...(metadata && { metadata }),
          ...(maxAgeDays !== undefined && { maxAgeDays }),
        },
        by: senderOf(asked, receivedAtMs),
        expected: known.revision,
      });
      // Whatever stands in the stream now, ours or not, the next round answers for it.
    }
  };
};

/** Of a file that was handed over before: how far its job is. */
const toldBefore = async (find: ReturnType<typeof jobView>, jobId: string): Promise<string> =>
  `This file has a job already, which is ${(await find(jobId))?.status ?? 'queued'}.`;

const ownUpload = async (parts: BulkParts, key: ApiKeyPrincipal, fileId: string): Promise<KnownUpload> => {
  const known = validate(fileId) ? await findUpload(parts, fileId) : undefined;
  if (!known || known.upload.network !== key.network || known.upload.vendor !== key.vendor)
    throw wrongFile('is not the id of an upload of yours');
  return lookForFile(parts, known);
};

const refuseFile = ({ upload }: KnownUpload, { clock, maxUploadBytes }: BulkParts): void => {
  if (upload.status === 'expired' || clock.now() >= uploadRemovalMs(upload)) throw wrongFile('has expired');
  if (!upload.received)
    throw wrongFile(
      clock.now() < upload.expiresAtMs
        ? 'has not been uploaded yet'
        : 'was not uploaded before its address expired; ask for another one',
    );
  if (upload.received.sizeBytes > maxUploadBytes) throw wrongFile(`is larger than ${maxUploadBytes} bytes`);
};
