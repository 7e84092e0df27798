import { addAbortSignal, Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { bulkContentTypes } from '@popsvc/contracts/bulk';
import { ObjectNotFound } from './errors.ts';
import type { ExternalObjectStore } from './port.ts';
import { instructionsFor } from './instructions.ts';
import { patientBytes } from './patient-bytes.ts';
import { type S3Access, s3Client } from './s3-client.ts';

const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && (error.$metadata.httpStatusCode === 404 || error.name === 'NoSuchKey');

const standardSilentMs = 30_000;

/** Objects in a bucket of an S3-compatible store, which takes uploads by itself. One that is silent for so long in the middle of a file is given up. */
export const s3Objects = (access: S3Access, silentMs = standardSilentMs): ExternalObjectStore => {
  const client = s3Client(access);
  const Bucket = access.bucket;
  const keysUnder = async (key: string): Promise<readonly string[]> => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: `${key}/` }));
    return Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
  };
  return {
    kind: 's3',
    async createUploadTarget(key, { format, expiresAtMs }) {
      const contentType = bulkContentTypes[format];
      const url = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: key, ContentType: contentType }), {
        expiresIn: Math.max(1, Math.floor((expiresAtMs - Date.now()) / 1_000)),
        signableHeaders: new Set(['content-type']),
      });
      return { url, instructions: instructionsFor(format) };
    },
    async readMetadata(key) {
      try {
        const { ContentLength, ETag, LastModified } = await client.send(new HeadObjectCommand({ Bucket, Key: key }));
        return { sizeBytes: ContentLength ?? 0, tag: ETag ?? '', storedAtMs: LastModified?.getTime() ?? 0 };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async read(key, signal) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key }), { abortSignal: signal });
        const body = addAbortSignal(signal, Body as Readable);
        return addAbortSignal(signal, Readable.from(patientBytes(body, silentMs)));
      } catch (error) {
        throw isMissing(error) ? new ObjectNotFound(key, { cause: error }) : error;
      }
    },
    async remove(key) {
      // One at a time: what deletes many at once asks for checksums that not every store knows.
      for (const Key of [key, ...(await keysUnder(key))]) await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
    async ping() {
      await client.send(new HeadBucketCommand({ Bucket }));
    },
    close() {
      client.destroy();
      return Promise.resolve();
    },
  };
};
