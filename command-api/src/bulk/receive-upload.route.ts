import { randomUUID } from 'node:crypto';
import { BULK_FORMATS, bulkContentTypes, CONTENT_CODINGS, type ContentCoding } from '@popsvc/contracts/bulk';
import { ApiError } from '@popsvc/contracts/errors';
import { UploadReceived, uploadStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import {
  createCallerSlots,
  invalidRequestError,
  jsonResponse,
  type JsonResponse,
  requireMediaType,
  type Route,
  type RouteRequest,
} from '@popsvc/http-kit/server';
import {
  ObjectTooLarge,
  type ReceivedObject,
  type ReceivingObjectStore,
  type UploadGrant,
  type UploadUrls,
} from '@popsvc/platform/object-storage';
import { z } from 'zod';
import { toCallerError } from '../intake/errors.ts';
import { decodeUpload, fileTooLarge, maxSentBytes, readContentCoding, type SentFile } from './upload-content.ts';
import { readDigests, type SentDigest, verifyDigests } from './upload-digests.ts';
import { appendBulkEvent, type BulkDependencies, findUpload, type LoggedUpload, withStorageErrors } from './uploads.ts';

export const uploadsPath = '/popsvc/v1';

/** Returns no route if vendors upload to an external object store. */
export const receiveUploadRoutes = (dependencies: BulkDependencies): readonly Route[] => {
  const { storage } = dependencies;
  return 'urls' in storage ? [receiveUploadRoute({ ...dependencies, storage })] : [];
};

const UploadParams = z.object({ network: z.int().min(1), fileId: z.string() });
const UploadQuery = z.object({
  format: z.enum(BULK_FORMATS),
  expires: z.int().describe('When the URL expires, ms since 1970.'),
  signature: z.string(),
});
const ReceivedFileResponse = z
  .object({
    fileId: z.string().describe('The id to ingest the file with.'),
    sizeBytes: z.int().describe('Size of the file, after decompression.'),
    sha256: z.string().describe('SHA-256 of the bytes received, in hex; compare it with that of the bytes you sent.'),
  })
  .meta({ id: 'ReceivedFile' });

const formatDescriptions = {
  ndjson: 'One JSON object per line.',
  json: 'One array of objects.',
  csv: 'RFC 4180, with a header row unless the ingest request says otherwise.',
};
const UploadHeaders = z.object({
  'Content-Encoding': z.enum(CONTENT_CODINGS).optional().describe('How the file is compressed; absent: it is not.'),
  'Content-Digest': z
    .string()
    .optional()
    .describe(
      'Digest of the bytes sent (RFC 9530): `sha-256=:…:` or `sha-512=:…:`. The response is 400 if it differs.',
    ),
  'Repr-Digest': z
    .string()
    .optional()
    .describe('As Content-Digest. Both are of the compressed bytes if there is a Content-Encoding.'),
  'Content-MD5': z.string().optional().describe('MD5 of the bytes sent, in base64. The response is 400 if it differs.'),
});
const requestFiles = Object.fromEntries(
  BULK_FORMATS.map((format) => [bulkContentTypes[format], formatDescriptions[format]]),
);

interface Dependencies extends BulkDependencies {
  readonly storage: { readonly objects: ReceivingObjectStore; readonly urls: UploadUrls };
}

/** The signed URL is the credential. */
const receiveUploadRoute = (dependencies: Dependencies): Route => {
  const receiveUpload = createUploadReceiver(dependencies);
  return {
    method: 'put',
    path: `${uploadsPath}/uploads/:network/:fileId`,
    summary: 'Upload a file to the URL that was issued for it.',
    description:
      'The body is the whole file: a request with `Content-Range` gets 400. A file that is refused is not stored, and the URL stays valid.',
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
    schemas: {
      params: UploadParams,
      query: UploadQuery,
      headers: UploadHeaders,
      requestFiles,
      responses: { 200: ReceivedFileResponse },
    },
    errorCodes: [
      'FORBIDDEN',
      'CONFLICT',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'INVALID_REQUEST',
      'RATE_LIMITED',
    ],
    handle: (request) =>
      receiveUpload(request).catch((error: unknown) => {
        throw toCallerError(error);
      }),
  };
};

/** A slow upload can occupy a connection for hours. `perCaller` applies to a network and vendor. */
const uploadLimits = { perCaller: 16, total: 64 };

const createUploadReceiver = (dependencies: Dependencies) => {
  const { clock, maxUploadBytes } = dependencies;
  const { objects, urls } = dependencies.storage;
  const acquireSlot = createCallerSlots(uploadLimits, 'uploads');
  return async (request: RouteRequest): Promise<JsonResponse> => {
    const grant = urls.verifyUrl(request.url);
    if (!grant || clock.now() >= grant.expiresAtMs) throw invalidUrl();
    const { coding, digests } = checkContentHeaders(request, grant, maxUploadBytes);
    const fileId = request.params['fileId']!;
    const { network, vendor } = (await findOpenUpload(dependencies, fileId)).upload;
    const objectKey = `${grant.key}/${randomUUID()}`;
    const releaseSlot = acquireSlot(`${network} ${vendor}`);
    try {
      const sent = verifyDigests(readUntilExpiry(request, grant, dependencies), digests);
      const content = decodeUpload(sent, coding, maxUploadBytes);
      const received = await withStorageErrors(
        objects.receive(objectKey, content.chunks, maxUploadBytes),
        ObjectTooLarge,
      );
      const file = { ...received, objectKey, sent: content.describeSent() };
      return await recordReceivedFile(dependencies, request, fileId, file);
    } catch (error) {
      throw error instanceof ObjectTooLarge ? fileTooLarge(maxUploadBytes, coding) : error;
    } finally {
      releaseSlot();
    }
  };
};

const invalidUrl = () => new ApiError('FORBIDDEN', 'This upload URL is not valid or has expired; request a new one.');

interface ContentHeaders {
  readonly coding: ContentCoding | undefined;
  readonly digests: readonly SentDigest[];
}

const checkContentHeaders = (request: RouteRequest, { format }: UploadGrant, maxBytes: number): ContentHeaders => {
  requireMediaType(bulkContentTypes[format], request.header('Content-Type'));
  // A part would replace the whole file. RFC 9110, 14.5: a server without partial PUT responds with 400.
  if (request.header('Content-Range') !== undefined)
    throw invalidRequestError([{ path: 'Content-Range', message: 'is not supported: send the whole file' }]);
  const coding = readContentCoding(request);
  if (Number(request.header('Content-Length') ?? 0) > maxSentBytes(maxBytes, coding))
    throw fileTooLarge(maxBytes, coding);
  return { coding, digests: readDigests(request) };
};

/** Throws FORBIDDEN if the upload does not exist or has expired, and CONFLICT if a job has claimed its file. */
const findOpenUpload = async (dependencies: Dependencies, fileId: string): Promise<LoggedUpload> => {
  const known = await findUpload(dependencies, fileId);
  if (!known || known.upload.status === 'expired') throw invalidUrl();
  if (known.upload.status === 'claimed')
    throw new ApiError('CONFLICT', 'This file was already uploaded and its ingestion requested.');
  return known;
};

/** Throws FORBIDDEN if the URL expires before the body ends. */
async function* readUntilExpiry({ bodyChunks }: RouteRequest, { expiresAtMs }: UploadGrant, { clock }: Dependencies) {
  const requireValidUrl = () => {
    if (clock.now() >= expiresAtMs)
      throw new ApiError('FORBIDDEN', 'The upload URL expired before the file had arrived; request a new one.');
  };
  for await (const chunk of bodyChunks) {
    requireValidUrl();
    yield chunk;
  }
  requireValidUrl();
}

interface StoredFile extends ReceivedObject {
  readonly objectKey: string;
  readonly sent: SentFile | undefined;
}

/**
 * Appends UploadReceived before it removes the file that this one replaces. If the upload no longer accepts a file, removes the new file
 * and throws.
 */
const recordReceivedFile = async (
  dependencies: Dependencies,
  request: RouteRequest,
  fileId: string,
  { sizeBytes, sha256, objectKey, sent }: StoredFile,
): Promise<JsonResponse> => {
  const { objects } = dependencies.storage;
  const removeObject = (key: string) =>
    objects
      .remove(key)
      .catch((err: unknown) => request.log.warn({ err, key }, 'failed to remove unused upload object'));
  for (;;) {
    const known = await findOpenUpload(dependencies, fileId).catch(async (error: unknown) => {
      if (error instanceof ApiError && error.code !== 'UNAVAILABLE') await removeObject(objectKey);
      throw error;
    });
    const { upload, revision } = known;
    const { network, vendor } = upload;
    const isAppended = await appendBulkEvent(dependencies, uploadStream(fileId), {
      definition: UploadReceived,
      data: { fileId, sizeBytes, sha256, objectKey, ...(sent && { sent }) },
      metadata: { receivedAt: instantOf(dependencies.clock.now()), network, vendor, requestId: request.requestId },
      expected: revision,
    });
    // The stream has another new event, so the next iteration decides from the new state.
    if (!isAppended) continue;
    if (upload.received) await removeObject(upload.received.objectKey);
    dependencies.metrics.countReceived(sizeBytes);
    return jsonResponse(200, { fileId, sizeBytes, sha256: sent?.sha256 ?? sha256 });
  }
};
