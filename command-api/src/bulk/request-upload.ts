import { bulkContentTypes } from '@popsvc/contracts/bulk';
import { RequestUpload } from '@popsvc/contracts/commands';
import { UploadRequested, uploadStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { uploadObjectKey } from '@popsvc/domain/bulk';
import { parseBody, jsonResponse } from '@popsvc/platform/http';
import type { TryRequest } from '../idempotency/index.ts';
import { eventIds } from '../intake/event-ids.ts';
import { tell } from './bulk-log.ts';
import type { BulkParts } from './bulk-parts.ts';
import { senderOf } from './sender-of.ts';
import { unavailableFiles } from './unavailable-files.ts';

/** Gives a vendor an address to upload one file to. */
export const requestUpload =
  (parts: BulkParts): TryRequest =>
  async (asked, { onlyAsks, receivedAtMs, identity }) => {
    const { fileName, format, expiresInSeconds } = parseBody(RequestUpload, asked.body);
    if (onlyAsks) return jsonResponse(200, { message: 'Valid; nothing was stored.' });
    const by = senderOf(asked, receivedAtMs);
    const [fileId, id] = eventIds(identity, 2) as [string, string];
    const expiresAtMs = receivedAtMs + expiresInSeconds * 1_000;
    const contentType = bulkContentTypes[format];
    const { files } = parts;
    const target = 'addresses' in files ? files.addresses.createTarget : files.objects.createUploadTarget;
    const { url, instructions } = await unavailableFiles(
      target(uploadObjectKey(by.network, fileId), { format, expiresAtMs }),
    );
    const data = { fileId, fileName, format, contentType, expiresAt: instantOf(expiresAtMs) };
    await tell(parts, uploadStream(fileId), { definition: UploadRequested, data, by, expected: 'no_stream', id });
    return jsonResponse(200, { uploadUrl: url, fileId, contentType, uploadInstructions: instructions });
  };
