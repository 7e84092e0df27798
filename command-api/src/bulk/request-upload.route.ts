import { bulkContentTypes } from '@popsvc/contracts/bulk';
import { RequestUpload } from '@popsvc/contracts/commands';
import { UploadRequested, uploadStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { uploadObjectKey } from '@popsvc/domain/bulk';
import { jsonResponse, parseBody, type Route } from '@popsvc/http-kit/server';
import { z } from 'zod';
import {
  createIdempotentHandler,
  type ExecuteRequest,
  idempotencySchemas,
  ValidResponse,
} from '../intake/idempotency.ts';
import { deriveEventIds } from '../intake/request-events.ts';
import { appendBulkEvent, type BulkDependencies, createSenderMetadata, withStorageErrors } from './uploads.ts';

const path = '/popsvc/v1/pop/dynamic/bulk/upload-url';
const UploadResponse = z
  .object({
    uploadUrl: z.string().describe('Where to PUT the file; the URL itself is the credential.'),
    fileId: z.string().describe('The id to ingest the file with afterwards.'),
    contentType: z.string().describe('The Content-Type to PUT the file with.'),
    uploadInstructions: z.string().describe('How to upload the file, for people; the text may change.'),
  })
  .meta({ id: 'Upload' });

export const requestUploadRoute = (dependencies: BulkDependencies): Route => ({
  method: 'post',
  path,
  summary: 'Get a URL to upload a file of dynamic events to.',
  operationId: 'requestUpload',
  access: 'ingest',
  examples: [
    { name: 'forLines', body: { fileName: 'plays-2026-08-20.ndjson', format: 'ndjson', expiresInSeconds: 3_600 } },
  ],
  body: 'json',
  maxBytes: 65_536,
  schemas: { ...idempotencySchemas, body: RequestUpload, responses: { 200: z.union([UploadResponse, ValidResponse]) } },
  errorCodes: ['CONFLICT'],
  handle: createIdempotentHandler(dependencies, path, createUploadRequester(dependencies)),
});

function createUploadRequester(dependencies: BulkDependencies): ExecuteRequest {
  return async (request, { isValidateOnly, receivedAtMs, identity }) => {
    const { fileName, format, expiresInSeconds } = parseBody(RequestUpload, request.body);
    if (isValidateOnly) return jsonResponse(200, { message: 'Valid; nothing was stored.' });
    const metadata = createSenderMetadata(request, receivedAtMs);
    const [fileId, id] = deriveEventIds(identity, 2) as [string, string];
    const expiresAtMs = receivedAtMs + expiresInSeconds * 1_000;
    const contentType = bulkContentTypes[format];
    const { storage } = dependencies;
    const createTarget = 'urls' in storage ? storage.urls.createTarget : storage.objects.createUploadTarget;
    const { url, instructions } = await withStorageErrors(
      createTarget(uploadObjectKey(metadata.network, fileId), { format, expiresAtMs }),
    );
    await appendBulkEvent(dependencies, uploadStream(fileId), {
      definition: UploadRequested,
      data: { fileId, fileName, format, contentType, expiresAt: instantOf(expiresAtMs) },
      metadata,
      expected: 'no_stream',
      id,
    });
    return jsonResponse(200, { uploadUrl: url, fileId, contentType, uploadInstructions: instructions });
  };
}
