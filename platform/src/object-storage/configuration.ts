import { z } from 'zod';
import { url, Secret, secret, wholeNumber } from '../config/index.ts';
import { openDiskObjectStore } from './disk-object-store.ts';
import type { ExternalObjectStore, ReceivingObjectStore } from './port.ts';
import type { S3Access } from './s3-object-store.ts';

/** The variables that say where uploaded files lie, for the configuration of each process that reaches them. */
export const objectVariables = {
  DATA_DIR: z.string().default('./.data').describe('Uploaded files are kept in its folder uploads, unless S3 is set.'),
  S3_ENDPOINT: url('http:', 'https:')
    .optional()
    .describe('S3-compatible store for uploaded files; vendors upload to it. Unset: on disk.'),
  S3_BUCKET: z.string().optional().describe('Its bucket; required when S3_ENDPOINT is set.'),
  S3_ACCESS_KEY_ID: secret().optional().describe('Its key; required when S3_ENDPOINT is set.'),
  S3_SECRET_ACCESS_KEY: secret().optional().describe('The secret of the key; required when S3_ENDPOINT is set.'),
};
export type ObjectVariables = z.output<z.ZodObject<typeof objectVariables>>;

const s3Names = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/** For superRefine: the four of S3 are set together or not at all. */
export const requireAllS3Variables = (config: Partial<ObjectVariables>, context: z.RefinementCtx): void => {
  const unset = s3Names.filter((name) => config[name] === undefined);
  if (unset.length === s3Names.length) return;
  for (const name of unset)
    context.addIssue({ code: 'custom', path: [name], message: 'must be set when another S3_ variable is' });
};

/** Loaded when asked for: its client is large, and those who keep files on disk do without. */
export const openS3ObjectStore = async (access: S3Access, silentMs?: number): Promise<ExternalObjectStore> =>
  (await import('./s3-object-store.ts')).createS3ObjectStore(access, silentMs);

/** The store the variables tell of. */
export const openObjectStore = async (config: ObjectVariables): Promise<ReceivingObjectStore | ExternalObjectStore> => {
  const { DATA_DIR, S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config;
  if (S3_ENDPOINT === undefined) return openDiskObjectStore(DATA_DIR);
  const [accessKeyId, secretAccessKey] = [S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY].map((one?: Secret) => one!.reveal());
  return openS3ObjectStore({
    endpoint: S3_ENDPOINT,
    bucket: S3_BUCKET!,
    accessKeyId: accessKeyId!,
    secretAccessKey: secretAccessKey!,
  });
};

const shortestKey = 32;
const keysOf = (text: string): readonly string[] => text.split(',').map((key) => key.trim());

/** The variables of whoever takes uploads in. */
export const uploadVariables = {
  PUBLIC_INGEST_URL: url('http:', 'https:')
    .optional()
    .describe('The ingestion endpoints as vendors reach them, the base of upload addresses; unset: this machine.'),
  UPLOAD_SIGNING_KEY: z
    .string()
    .refine(
      (text) => keysOf(text).every((key) => key.length >= shortestKey),
      `must be keys of at least ${shortestKey} characters, with commas between them`,
    )
    .pipe(secret())
    .optional()
    .describe(
      'Signs upload addresses; at least 32 characters. To change it without breaking addresses that are out, set the new one, a ' +
        'comma and the old one, for a day.',
    ),
  MAX_UPLOAD_BYTES: wholeNumber(1, 5_000_000_000_000)
    .default(2_147_483_648)
    .describe('Largest file that can be uploaded and ingested.'),
};
export type UploadVariables = z.output<z.ZodObject<typeof uploadVariables>>;

/** The keys that sign upload addresses, the one in use first. */
export const parseUploadSigningKeys = ({
  UPLOAD_SIGNING_KEY,
}: Pick<UploadVariables, 'UPLOAD_SIGNING_KEY'>): readonly Secret[] =>
  UPLOAD_SIGNING_KEY === undefined ? [] : keysOf(UPLOAD_SIGNING_KEY.reveal()).map((key) => new Secret(key));
