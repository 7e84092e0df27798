import { addAbortSignal, Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { bulkContentTypes } from '@popsvc/contracts/bulk';
import { withDeadline } from '../runtime/index.ts';
import { instructionsFor } from './upload-urls.ts';
import { type ExternalObjectStore, ObjectNotFound } from './port.ts';

/** Throws if the reader waits for `idleTimeoutMs` and the store sends nothing. A slow reader does not cause a timeout. */
async function* readWithIdleTimeout(body: Readable, idleTimeoutMs: number): AsyncGenerator<Uint8Array, void, void> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      const next = await withDeadline(chunks.next(), idleTimeoutMs, 'reading the next bytes of a file');
      if (next.done) return;
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}

export interface S3Access {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const regionOf = (endpoint: string): string =>
  /^s3[.-]([a-z0-9-]+)\.amazonaws\.com/.exec(new URL(endpoint).hostname)?.[1] ?? 'us-east-1';

const s3Client = ({ endpoint, accessKeyId, secretAccessKey }: S3Access): S3Client =>
  new S3Client({
    endpoint,
    region: regionOf(endpoint),
    credentials: { accessKeyId, secretAccessKey },
    // A bucket name in the host name would need its own DNS entry, which S3-compatible stores other than Amazon's may not provide.
    forcePathStyle: true,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
    // With the default, signed URLs would require checksums that the uploading clients do not send.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && (error.$metadata.httpStatusCode === 404 || error.name === 'NoSuchKey');

const defaultIdleTimeoutMs = 30_000;

export const createS3ObjectStore = (access: S3Access, idleTimeoutMs = defaultIdleTimeoutMs): ExternalObjectStore => {
  const client = s3Client(access);
  const Bucket = access.bucket;
  const keysUnder = async (key: string): Promise<readonly string[]> => {
    const keys: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: `${key}/` }))
      for (const { Key } of Contents) if (Key !== undefined) keys.push(Key);
    return keys;
  };
  return {
    kind: 's3',
    async createUploadTarget(key, { format, expiresAtMs }) {
      const contentType = bulkContentTypes[format];
      const url = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: key, ContentType: contentType }), {
        expiresIn: Math.max(1, Math.floor((expiresAtMs - Date.now()) / 1_000)),
        signableHeaders: new Set(['content-type']),
      });
      return { url, instructions: instructionsFor(format, 'external') };
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
        return addAbortSignal(signal, Readable.from(readWithIdleTimeout(body, idleTimeoutMs)));
      } catch (error) {
        throw isMissing(error) ? new ObjectNotFound(key, { cause: error }) : error;
      }
    },
    async remove(key) {
      // DeleteObjects requires checksums that not every store supports.
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
