import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivate } from './private-file.ts';

const make = () => randomBytes(24).toString('base64url');

/** Each is made when it is missing: a later build may need more of them. */
const Secrets = z.object({
  postgres: z.string().default(make),
  clickhouseWriter: z.string().default(make),
  clickhouseReader: z.string().default(make),
  clickhouseAnalyst: z.string().default(make),
  operatorToken: z.string().default(make),
  uploadSigningKey: z.string().default(make),
});
export type Secrets = z.output<typeof Secrets>;

/** Passwords of the embedded engines, the operator's token and what signs addresses: made at the first start, then kept. */
export const keptSecrets = async (dataDir: string): Promise<Secrets> => {
  const path = join(dataDir, 'secrets.json');
  const kept = await readJson(path);
  const secrets = Secrets.parse(kept ?? {});
  if (JSON.stringify(kept) !== JSON.stringify(secrets)) await writePrivate(path, secrets);
  return secrets;
};
