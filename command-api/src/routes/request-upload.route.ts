import { RequestUpload } from '@popsvc/contracts/commands';
import type { Route } from '@popsvc/platform/http';
import { z } from 'zod';
import type { BulkParts } from '../bulk/bulk-parts.ts';
import { requestUpload } from '../bulk/request-upload.ts';
import { idempotent, repeatable, Valid } from '../idempotency/index.ts';

const path = '/popsvc/v1/pop/dynamic/bulk/upload-url';
const Upload = z
  .object({
    uploadUrl: z.string().describe('Where to PUT the file; the address itself is the credential.'),
    fileId: z.string().describe('What to ingest afterwards.'),
    contentType: z.string().describe('The Content-Type to PUT it with.'),
    uploadInstructions: z.string(),
  })
  .meta({ id: 'Upload' });

export const requestUploadRoute = (parts: BulkParts): Route => ({
  method: 'post',
  path,
  summary: 'Get an address to upload a file of dynamic events to.',
  operationId: 'requestUpload',
  access: 'ingest',
  examples: [
    { name: 'forLines', body: { fileName: 'plays-2026-08-20.ndjson', format: 'ndjson', expiresInSeconds: 3_600 } },
  ],
  body: 'json',
  maxBytes: 65_536,
  schemas: { ...repeatable, body: RequestUpload, responses: { 200: z.union([Upload, Valid]) } },
  errorCodes: ['CONFLICT'],
  handle: idempotent(parts, path, requestUpload(parts)),
});
