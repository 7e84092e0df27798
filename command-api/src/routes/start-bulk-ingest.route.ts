import { StartBulkIngest } from '@popsvc/contracts/commands';
import type { Route } from '@popsvc/platform/http';
import { z } from 'zod';
import type { BulkParts } from '../bulk/bulk-parts.ts';
import { startIngest } from '../bulk/start-ingest.ts';
import { idempotent, repeatable, Valid } from '../idempotency/index.ts';

const path = '/popsvc/v1/pop/dynamic/bulk/ingest';

export const startBulkIngestRoute = (parts: BulkParts): Route => ({
  method: 'post',
  path,
  summary: 'Have an uploaded file ingested.',
  operationId: 'startBulkIngest',
  access: 'ingest',
  examples: [{ name: 'anUpload', body: { fileId: '0b8f1c52-6f0e-4f0d-9d3b-6f5f7f1f2a10', schemaVersion: 'player-3' } }],
  body: 'json',
  maxBytes: 65_536,
  schemas: {
    ...repeatable,
    body: StartBulkIngest,
    responses: { 202: z.object({ jobId: z.string(), message: z.string() }).meta({ id: 'QueuedJob' }), 200: Valid },
  },
  errorCodes: ['CONFLICT'],
  handle: idempotent(parts, path, startIngest(parts)),
});
