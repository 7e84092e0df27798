import { S3Client } from '@aws-sdk/client-s3';

export interface S3Access {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Stores other than Amazon's take any region; Amazon's addresses tell theirs. */
const regionOf = (endpoint: string): string =>
  /^s3[.-]([a-z0-9-]+)\.amazonaws\.com/.exec(new URL(endpoint).hostname)?.[1] ?? 'us-east-1';

export const s3Client = ({ endpoint, accessKeyId, secretAccessKey }: S3Access): S3Client =>
  new S3Client({
    endpoint,
    region: regionOf(endpoint),
    credentials: { accessKeyId, secretAccessKey },
    // Buckets in the path: a name in front of the host needs DNS that other stores do not have.
    forcePathStyle: true,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
    // Whoever uploads by a signed address sends no checksum of Amazon's own kinds.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
