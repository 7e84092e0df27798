import { z } from 'zod';
import { url, Secret, secret, wholeNumber } from '../config/index.ts';

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
