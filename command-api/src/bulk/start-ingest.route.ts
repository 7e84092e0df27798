import { BulkJob } from '@popsvc/contracts/bulk';
import { StartBulkIngest } from '@popsvc/contracts/commands';
import { UploadClaimed, uploadStream } from '@popsvc/contracts/events';
import { responseMessage } from '@popsvc/contracts/responses';
import { type ReceivedFile, uploadRemovalMs } from '@popsvc/domain/bulk';
import type { ApiKeyPrincipal } from '@popsvc/http-kit/auth';
import { invalidRequestError, jsonResponse, parseBody, type Route } from '@popsvc/http-kit/server';
import { ObjectNotFound } from '@popsvc/platform/object-storage';
import { validate } from 'uuid';
import { z } from 'zod';
import {
  createIdempotentHandler,
  type ExecuteRequest,
  idempotencySchemas,
  ValidResponse,
} from '../intake/idempotency.ts';
import { bulkWarningFields, createWarnings, type CsvInspection, inspectCsv } from './csv-header.ts';
import { createJobReader, deriveJobId, type FindJob, queueJob } from './jobs.ts';
import {
  appendBulkEvent,
  type BulkDependencies,
  createSenderMetadata,
  findUpload,
  type LoggedUpload,
  recordStoredFile,
} from './uploads.ts';

const path = '/popsvc/v1/pop/dynamic/bulk/ingest';

const example = { fileId: '0b8f1c52-6f0e-4f0d-9d3b-6f5f7f1f2a10', schemaVersion: 'player-3' };

export const startBulkIngestRoute = (dependencies: BulkDependencies): Route => ({
  method: 'post',
  path,
  summary: 'Start the ingestion of an uploaded file.',
  operationId: 'startBulkIngest',
  access: 'ingest',
  examples: [
    { name: 'anUpload', body: example },
    { name: 'onlyValidate', query: { validate_only: true }, body: example },
  ],
  body: 'json',
  maxBytes: 65_536,
  schemas: {
    ...idempotencySchemas,
    body: StartBulkIngest,
    responses: {
      202: z
        .object({
          jobId: BulkJob.shape.jobId,
          message: responseMessage,
          ...bulkWarningFields,
        })
        .meta({ id: 'QueuedJob' }),
      200: ValidResponse.extend(bulkWarningFields).meta({ id: 'ValidJob' }),
    },
  },
  errorCodes: ['CONFLICT'],
  handle: createIdempotentHandler(dependencies, path, createIngestStarter(dependencies)),
});

/**
 * Claims the upload, then queues its job. If the process dies in between, a retry of the request or the upload lifecycle queues the job.
 */
function createIngestStarter(dependencies: BulkDependencies): ExecuteRequest {
  const findJob = createJobReader(dependencies);
  return async (request, { isValidateOnly, receivedAtMs }) => {
    const body = parseBody(StartBulkIngest, request.body);
    const { fileId, schemaVersion, metadata } = body;
    const jobId = validate(fileId) ? deriveJobId(fileId) : '';
    for (;;) {
      const known = await findOwnUpload(dependencies, request.principal as ApiKeyPrincipal, fileId);
      const { claim } = known.upload;
      if (claim && claim.schemaVersion !== schemaVersion)
        throw invalidRequestError([
          { path: 'schemaVersion', message: `is ${claim.schemaVersion} in the job of this file` },
        ]);
      const csv = claim ? undefined : await inspectFile(dependencies, known, body);
      // The file is gone and the upload has a new event, so the next iteration reads the upload again.
      if (csv === 'replaced') continue;
      if (isValidateOnly)
        return jsonResponse(200, { message: 'Valid; nothing was stored.', ...createWarnings(claim ?? csv) });
      if (claim) {
        const isNew = await queueJob(dependencies, known);
        const message = isNew ? 'The job is queued.' : await describeExistingJob(findJob, jobId);
        return jsonResponse(202, { jobId, message, ...createWarnings(claim) });
      }
      const { maxAgeDays } = dependencies;
      await appendBulkEvent(dependencies, uploadStream(fileId), {
        definition: UploadClaimed,
        data: {
          fileId,
          jobId,
          schemaVersion,
          ...(metadata && { metadata }),
          ...csv,
          ...(maxAgeDays !== undefined && { maxAgeDays }),
        },
        metadata: createSenderMetadata(request, receivedAtMs),
        expected: known.revision,
      });
      // The next iteration responds according to the stream, whether this claim or another event was appended.
    }
  };
}

const describeExistingJob = async (findJob: FindJob, jobId: string): Promise<string> =>
  `This file has a job already, which is ${(await findJob(jobId))?.status ?? 'queued'}.`;

const invalidFileId = (message: string) => invalidRequestError([{ path: 'fileId', message }]);

const findOwnUpload = async (
  dependencies: BulkDependencies,
  key: ApiKeyPrincipal,
  fileId: string,
): Promise<LoggedUpload> => {
  const known = validate(fileId) ? await findUpload(dependencies, fileId) : undefined;
  if (!known || known.upload.network !== key.network || known.upload.vendor !== key.vendor)
    throw invalidFileId('is not the id of an upload of yours');
  return recordStoredFile(dependencies, known);
};

/** Throws INVALID_REQUEST if the file is missing, has expired or is too large. */
const requireIngestible = ({ upload }: LoggedUpload, { clock, maxUploadBytes }: BulkDependencies): ReceivedFile => {
  if (upload.status === 'expired' || clock.now() >= uploadRemovalMs(upload)) throw invalidFileId('has expired');
  if (!upload.received)
    throw invalidFileId(
      clock.now() < upload.expiresAtMs
        ? 'has not been uploaded yet'
        : 'was not uploaded before its URL expired; request another one',
    );
  if (upload.received.sizeBytes > maxUploadBytes) throw invalidFileId(`is larger than ${maxUploadBytes} bytes`);
  return upload.received;
};

/** Returns undefined for other formats than CSV, and `replaced` if the file is gone and the upload has a new event. */
const inspectFile = async (
  dependencies: BulkDependencies,
  known: LoggedUpload,
  body: StartBulkIngest,
): Promise<CsvInspection | 'replaced' | undefined> => {
  const file = requireIngestible(known, dependencies);
  const { upload, revision } = known;
  if (upload.requested.format !== 'csv') return undefined;
  try {
    return await inspectCsv(dependencies, upload, file, body);
  } catch (error) {
    if (!(error instanceof ObjectNotFound)) throw error;
    if ((await findUpload(dependencies, body.fileId))?.revision !== revision) return 'replaced';
    throw invalidFileId('is no longer stored; upload the file again');
  }
};
