import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '@popsvc/platform/runtime';
import { clusterPath } from '../postgres/cluster.ts';
import { DataFormatError } from './data-format.ts';

const createSecret = () => randomBytes(24).toString('base64url');

/** A missing secret is generated, because this release may need more secrets than the release that wrote the file. */
const Secrets = z.object({
  postgres: z.string().default(createSecret),
  clickhouseWriter: z.string().default(createSecret),
  clickhouseReader: z.string().default(createSecret),
  clickhouseAnalyst: z.string().default(createSecret),
  operatorToken: z.string().default(createSecret),
  uploadSigningKey: z.string().default(createSecret),
  encryptionKey: z.string().default(createSecret),
});
export type Secrets = z.output<typeof Secrets>;

/** Throws a `DataFormatError` and changes nothing if the file is damaged, or lacks the password of a PostgreSQL cluster that exists. */
export const loadSecrets = async (dataDir: string): Promise<Secrets> => {
  const path = join(dataDir, 'secrets.json');
  const stored = await readJsonFile(path).catch((error: unknown) => {
    if (error instanceof SyntaxError) return 'damaged';
    throw error;
  });
  const { success, data: secrets } = Secrets.safeParse(stored ?? {});
  const hasCluster = existsSync(clusterPath(join(dataDir, 'postgres')));
  const hasPassword = stored !== null && typeof stored === 'object' && 'postgres' in stored;
  if (!success || (hasCluster && !hasPassword))
    throw new DataFormatError(
      `${path} is ${stored === undefined ? 'missing' : 'damaged'}: it must contain the password of the PostgreSQL cluster, ` +
        'the operator token and other secrets. Nothing was changed. Restore the file from a backup of DATA_DIR.',
    );
  if (JSON.stringify(stored) !== JSON.stringify(secrets)) await writeJsonFile(path, secrets);
  return secrets;
};
