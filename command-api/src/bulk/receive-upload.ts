import { randomUUID } from 'node:crypto';
import { bulkContentTypes } from '@popsvc/contracts/bulk';
import { ApiError } from '@popsvc/contracts/errors';
import { UploadReceived, uploadStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { uploadGraceMs } from '@popsvc/domain/bulk';
import { type RouteRequest, jsonResponse, type JsonResponse, requireMediaType } from '@popsvc/platform/http';
import {
  ObjectTooLarge,
  type ReceivedObject,
  type ReceivingObjectStore,
  type UploadUrls,
  type UploadGrant,
} from '@popsvc/platform/object-storage';
import { findUpload, type KnownUpload, tell } from './bulk-log.ts';
import type { BulkParts } from './bulk-parts.ts';
import { unavailableFiles } from './unavailable-files.ts';

export interface ReceivingParts extends BulkParts {
  readonly files: { readonly objects: ReceivingObjectStore; readonly addresses: UploadUrls };
}

/** So many files come in at a time: a slow sender holds a place for hours, and other requests need theirs. */
export const uploadsAtOnce = 64;

const forbidden = () => new ApiError('FORBIDDEN_NETWORKS', 'This address is not valid, or not any more.');

/** Takes the file of an address in. Nothing is told of it before it is durable, and nothing stays of one that is refused. */
export const receiveUpload = (parts: ReceivingParts) => {
  const { objects, addresses } = parts.files;
  let coming = 0;
  return async (asked: RouteRequest): Promise<JsonResponse> => {
    const grant = addresses.verifyUrl(asked.url);
    if (!grant || parts.clock.now() >= grant.expiresAtMs) throw forbidden();
    refuseContent(asked, grant, parts.maxUploadBytes);
    const fileId = asked.params['fileId']!;
    await openUpload(parts, fileId);
    if (coming >= uploadsAtOnce) throw new ApiError('UNAVAILABLE', 'Too many files are being uploaded; try again.');
    const objectKey = `${grant.key}/${randomUUID()}`;
    coming++;
    try {
      const received = await unavailableFiles(
        objects.receive(objectKey, inTime(asked, grant, parts), parts.maxUploadBytes),
      );
      return await keep(parts, asked, fileId, { ...received, objectKey });
    } catch (error) {
      throw error instanceof ObjectTooLarge ? tooLarge(parts.maxUploadBytes) : error;
    } finally {
      coming--;
    }
  };
};

const tooLarge = (maxBytes: number) => new ApiError('PAYLOAD_TOO_LARGE', `The file must be at most ${maxBytes} bytes.`);

const refuseContent = (asked: RouteRequest, { format }: UploadGrant, maxBytes: number): void => {
  requireMediaType(bulkContentTypes[format], asked.header('Content-Type'));
  const coding = asked.header('Content-Encoding')?.trim().toLowerCase() ?? '';
  if (coding !== '' && coding !== 'identity')
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The file must be sent as it is, without Content-Encoding.');
  if (Number(asked.header('Content-Length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
};

/** The upload, while it still takes a file. */
const openUpload = async (parts: ReceivingParts, fileId: string): Promise<KnownUpload> => {
  const known = await findUpload(parts, fileId);
  if (!known || known.upload.status === 'expired') throw forbidden();
  if (known.upload.status === 'claimed') throw new ApiError('CONFLICT', 'This file was uploaded and is ingested.');
  return known;
};

/** The content; a sender who began in time and never comes to an end is cut off when the upload is cleared away. */
async function* inTime({ bodyChunks }: RouteRequest, { expiresAtMs }: UploadGrant, { clock }: ReceivingParts) {
  for await (const chunk of bodyChunks) {
    if (clock.now() >= expiresAtMs + uploadGraceMs) throw forbidden();
    yield chunk;
  }
}

interface Stored extends ReceivedObject {
  readonly objectKey: string;
}

/** Tells of the file, which from now on is the one to be ingested; the one before it goes. */
const keep = async (
  parts: ReceivingParts,
  asked: RouteRequest,
  fileId: string,
  stored: Stored,
): Promise<JsonResponse> => {
  const { objects } = parts.files;
  const drop = (key: string) =>
    objects
      .remove(key)
      .catch((err: unknown) => asked.log.warn({ err, key }, 'a file that is not needed is still there'));
  const { sizeBytes, sha256, objectKey } = stored;
  for (;;) {
    const known = await openUpload(parts, fileId).catch(async (error: unknown) => {
      if (error instanceof ApiError && error.code !== 'UNAVAILABLE') await drop(objectKey);
      throw error;
    });
    const { upload, revision } = known;
    const { network, vendor } = upload;
    const by = { receivedAt: instantOf(parts.clock.now()), network, vendor, requestId: asked.requestId };
    const data = { fileId, sizeBytes, sha256, objectKey };
    // What happened to the upload meanwhile decides: another file, a job, its end.
    if (!(await tell(parts, uploadStream(fileId), { definition: UploadReceived, data, by, expected: revision })))
      continue;
    if (upload.received) await drop(upload.received.objectKey);
    parts.metrics.received(sizeBytes);
    return jsonResponse(200, { fileId, sizeBytes, sha256 });
  }
};
