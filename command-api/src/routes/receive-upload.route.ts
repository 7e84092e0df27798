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

/** The address itself is the credential. */
const receiveUploadRoute = (parts: ReceivingParts): Route => {
  const receive = receiveUpload(parts);
  return {
    method: 'put',
    path: `${uploadsPath}/uploads/:network/:fileId`,
    summary: 'Take in the file of an address that was given out for it.',
    access: 'public',
    body: 'stream',
    schemas: { replies: { 200: z.object({ fileId: z.string(), sizeBytes: z.int(), sha256: z.string() }) } },
    handle: (asked) =>
      receive(asked).catch((error: unknown) => {
        throw unavailable(error);
      }),
  };
};
