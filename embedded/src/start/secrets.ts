import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '../durable-files.ts';

const createSecret = () => randomBytes(24).toString('base64url');

/**
 * The secrets in `secrets.json`. A secret that the file lacks is generated, because this release may need more secrets than the
 * release that wrote the file.
 */
const Secrets = z.object({
  postgres: z.string().default(createSecret),
  clickhouseWriter: z.string().default(createSecret),
  clickhouseReader: z.string().default(createSecret),
  clickhouseAnalyst: z.string().default(createSecret),
  operatorToken: z.string().default(createSecret),
  uploadSigningKey: z.string().default(createSecret),
});
export type Secrets = z.output<typeof Secrets>;

/** Loads the passwords of the embedded engines, the operator token and the signing key; creates them at the first start. */
export const loadSecrets = async (dataDir: string): Promise<Secrets> => {
  const path = join(dataDir, 'secrets.json');
  const stored = await readJsonFile(path);
  const secrets = Secrets.parse(stored ?? {});
  if (JSON.stringify(stored) !== JSON.stringify(secrets)) await writeJsonFile(path, secrets);
  return secrets;
};
