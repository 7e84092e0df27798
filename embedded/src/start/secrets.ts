import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivate } from './private-file.ts';

const Secrets = z.object({
  postgres: z.string(),
  clickhouseWriter: z.string(),
  clickhouseReader: z.string(),
  clickhouseAnalyst: z.string(),
  operatorToken: z.string(),
});
export type Secrets = z.output<typeof Secrets>;

const make = () => randomBytes(24).toString('base64url');

/** Passwords of the embedded engines and the operator's token: made at the first start, then kept. */
export const keptSecrets = async (dataDir: string): Promise<Secrets> => {
  const path = join(dataDir, 'secrets.json');
  const kept = await readJson(path);
  if (kept !== undefined) return Secrets.parse(kept);
  const made: Secrets = {
    postgres: make(),
    clickhouseWriter: make(),
    clickhouseReader: make(),
    clickhouseAnalyst: make(),
    operatorToken: make(),
  };
  await writePrivate(path, made);
  return made;
};
