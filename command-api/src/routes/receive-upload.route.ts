import { BULK_FORMATS, bulkContentTypes } from '@popsvc/contracts/bulk';
import type { Route } from '@popsvc/platform/http';
import { z } from 'zod';
import type { BulkParts } from '../bulk/bulk-parts.ts';
import { receiveUpload, type ReceivingParts } from '../bulk/receive-upload.ts';
import { unavailable } from '../intake/unavailable.ts';

/** Addresses of uploads are under this path. */
export const uploadsPath = '/popsvc/v1';

/** There is none where files go to a store of others. */
export const receiveUploadRoutes = (parts: BulkParts): readonly Route[] =>
  'addresses' in parts.files ? [receiveUploadRoute({ ...parts, files: parts.files })] : [];

const Address = z.object({ network: z.int().min(1), fileId: z.string() });
const Signed = z.object({
  format: z.enum(BULK_FORMATS),
  expires: z.int().describe('Until when the address takes the file, ms since 1970.'),
  signature: z.string(),
});
const Received = z
  .object({
    fileId: z.string(),
    sizeBytes: z.int(),
    sha256: z.string().describe('Of the content, in hex: compare it with yours.'),
  })
  .meta({ id: 'ReceivedFile' });

const rows = {
  ndjson: 'One JSON object a line.',
  json: 'One array of objects.',
  csv: 'RFC 4180, with a header row unless told otherwise.',
};
const files = Object.fromEntries(BULK_FORMATS.map((format) => [bulkContentTypes[format], rows[format]]));

/** The address itself is the credential. */
const receiveUploadRoute = (parts: ReceivingParts): Route => {
  const receive = receiveUpload(parts);
  return {
    method: 'put',
    path: `${uploadsPath}/uploads/:network/:fileId`,
    summary: 'Take in the file of an address that was given out for it.',
    operationId: 'uploadFile',
    access: 'public',
    examples: [
      {
        name: 'lines',
        params: { network: 1, fileId: '0b8f1c52-6f0e-4f0d-9d3b-6f5f7f1f2a10' },
        query: { format: 'ndjson', expires: 1787230987250, signature: 'Y3lhbmVhLWphc21pbmUtbGltZS1wZXBwZXItdGh5bWU' },
      },
    ],
    body: 'stream',
    schemas: { params: Address, query: Signed, requestFiles: files, responses: { 200: Received } },
    errorCodes: ['FORBIDDEN_NETWORKS', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_REQUEST'],
    handle: (asked) =>
      receive(asked).catch((error: unknown) => {
        throw unavailable(error);
      }),
  };
};
