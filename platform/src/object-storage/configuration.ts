import { z } from 'zod';
import { url, Secret, secret, wholeNumber } from '../config/index.ts';
import { openDiskObjectStore } from './disk-object-store.ts';
import type { ExternalObjectStore, ReceivingObjectStore } from './port.ts';
import type { S3Access } from './s3-object-store.ts';

export const objectVariables = {
  DATA_DIR: z
    .string()
    .default('./.data')
    .describe('Folder of uploaded files (in `uploads`), unless S3_ENDPOINT is set.'),
  S3_ENDPOINT: url('http:', 'https:')
    .optional()
    .describe('S3-compatible store for uploaded files; vendors upload to it directly. Unset: files are on disk.'),
  S3_BUCKET: z.string().optional().describe('Bucket; required when S3_ENDPOINT is set.'),
  S3_ACCESS_KEY_ID: secret().optional().describe('Access key id; required when S3_ENDPOINT is set.'),
  S3_SECRET_ACCESS_KEY: secret().optional().describe('Secret access key; required when S3_ENDPOINT is set.'),
};
export type ObjectVariables = z.output<z.ZodObject<typeof objectVariables>>;

const s3Names = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

export const requireAllS3Variables = (config: Partial<ObjectVariables>, context: z.RefinementCtx): void => {
  const unset = s3Names.filter((name) => config[name] === undefined);
  if (unset.length === s3Names.length) return;
  for (const name of unset)
    context.addIssue({ code: 'custom', path: [name], message: 'must be set when another S3_ variable is' });
};

export const openS3ObjectStore = async (access: S3Access, idleTimeoutMs?: number): Promise<ExternalObjectStore> =>
  (await import('./s3-object-store.ts')).createS3ObjectStore(access, idleTimeoutMs);

export const openObjectStore = async (config: ObjectVariables): Promise<ReceivingObjectStore | ExternalObjectStore> => {
  const { DATA_DIR, S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config;
  if (S3_ENDPOINT === undefined) return openDiskObjectStore(DATA_DIR);
  return openS3ObjectStore({
    endpoint: S3_ENDPOINT,
    bucket: S3_BUCKET!,
    accessKeyId: S3_ACCESS_KEY_ID!.reveal(),
    secretAccessKey: S3_SECRET_ACCESS_KEY!.reveal(),
  });
};

const minKeyLength = 32;
const splitKeys = (text: string): readonly string[] => text.split(',').map((key) => key.trim());

export const uploadVariables = {
  PUBLIC_INGEST_URL: url('http:', 'https:')
    .optional()
    .describe('URL under which vendors reach the ingestion endpoints, the base of upload URLs. Unset: this machine.'),
  UPLOAD_SIGNING_KEY: z
    .string()
    .refine(
      (text) => splitKeys(text).every((key) => key.length >= minKeyLength),
      `must be keys of at least ${minKeyLength} characters, separated by commas`,
    )
    .pipe(secret())
    .optional()
    .describe(
      'Signs upload URLs; at least 32 characters. To change it without invalidating issued URLs, set the new key, a comma and ' +
        'the old key for a day.',
    ),
  MAX_UPLOAD_BYTES: wholeNumber(1, 5_000_000_000_000)
    .default(2_147_483_648)
    .describe('Largest file that can be uploaded and ingested.'),
};
export type UploadVariables = z.output<z.ZodObject<typeof uploadVariables>>;

/** The first key signs new URLs; signatures with any of the keys are accepted. */
export const parseUploadSigningKeys = ({
  UPLOAD_SIGNING_KEY,
}: Pick<UploadVariables, 'UPLOAD_SIGNING_KEY'>): readonly Secret[] =>
  UPLOAD_SIGNING_KEY === undefined ? [] : splitKeys(UPLOAD_SIGNING_KEY.reveal()).map((key) => new Secret(key));
