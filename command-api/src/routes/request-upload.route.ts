import { RequestUpload } from '@popsvc/contracts/commands';
import type { Route } from '@popsvc/platform/http';
import { z } from 'zod';
import type { BulkParts } from '../bulk/bulk-parts.ts';
import { requestUpload } from '../bulk/request-upload.ts';
import { idempotent } from '../idempotency/index.ts';

const path = '/popsvc/v1/pop/dynamic/bulk/upload-url';
const Reply = z.object({
  uploadUrl: z.string(),
  fileId: z.string(),
  contentType: z.string(),
  uploadInstructions: z.string(),
});

export const requestUploadRoute = (parts: BulkParts): Route => ({
  method: 'post',
  path,
  summary: 'Get an address to upload a file of dynamic events to.',
  access: 'ingest',
  body: 'json',
  maxBytes: 65_536,
  schemas: { body: RequestUpload, replies: { 200: Reply } },
  handle: idempotent(parts, path, requestUpload(parts)),
});
