import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** A repair that `popsvc log repair` listed in `repairs.ndjson`. `from` and `to` are log positions; `to` is exclusive. */
const LogRepair = z.object({
  repaired_at: z.iso.datetime(),
  ranges: z.array(z.object({ from: z.int().min(0), to: z.int().min(1) })).min(1),
});
export type LogRepair = z.output<typeof LogRepair>;

const parseRepair = (line: string): LogRepair => {
  const { sha256, ...repair } = LogRepair.extend({ sha256: z.string() }).parse(JSON.parse(line));
  if (hash('sha256', JSON.stringify(repair)) !== sha256) throw new Error('the hash of the line differs');
  return repair;
};

/** Empty if the folder of the embedded event store has no list. Throws if a line is damaged. */
export const readLogRepairs = async (dataDir: string): Promise<readonly LogRepair[]> => {
  const path = join(dataDir, 'event-store', 'repairs.ndjson');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => {
      try {
        return parseRepair(line);
      } catch (error) {
        throw new Error(
          `${path}: line ${index + 1} is not a repair of the log: restore the file from a backup of the folder, ` +
            'or remove the line if the projectors have recorded that repair (table log_repairs in PostgreSQL)',
          { cause: error },
        );
      }
    });
};
