import { StartBulkIngest } from '@popsvc/contracts/commands';
import type { Route } from '@popsvc/platform/http';
import { z } from 'zod';
import type { BulkParts } from '../bulk/bulk-parts.ts';
import { startIngest } from '../bulk/start-ingest.ts';
import { idempotent } from '../idempotency/index.ts';

const path = '/popsvc/v1/pop/dynamic/bulk/ingest';

export const startBulkIngestRoute = (parts: BulkParts): Route => ({
  method: 'post',
  path,
  summary: 'Have an uploaded file ingested.',
  access: 'ingest',
  body: 'json',
  maxBytes: 65_536,
  schemas: { body: StartBulkIngest, replies: { 202: z.object({ jobId: z.string(), message: z.string() }) } },
  handle: idempotent(parts, path, startIngest(parts)),
});
