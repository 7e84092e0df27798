import type { Writer } from '@popsvc/platform/clickhouse';
import { type GenerationRecord, noteLacks, planReplay, type Records } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/runtime';
import { absentTables, isBegun } from './absent-tables.ts';
import type { Live } from './live.ts';
import type { ProjectionDeclaration } from './projection-declaration.ts';

/**
 * Notes of a generation that was built by an older version which tables are newer than it. It goes on as it is, so that readers
 * keep what they have; of what it lacks it holds nothing from before. A table that the same version had is one that was lost.
 */
export const withNewerTables = async <Declaration extends ProjectionDeclaration>(
  { writer, records }: { readonly writer: Writer; readonly records: Records },
  which: Live<Declaration>,
  known: readonly GenerationRecord[],
): Promise<Live<Declaration>> => {
  const absent = await absentTables(writer, which);
  if (absent.length === 0) return which;
  const { projection, generation } = which;
  const record = known.find((each) => each.projection === projection.name && each.generation === generation);
  const isOlder = record !== undefined && record.version < projection.version;
  const lacks = isOlder && (await isBegun(writer, which)) ? [...new Set([...(which.lacks ?? []), ...absent])] : [];
  await noteLacks(records, { projection: projection.name, generation }, lacks);
  return { ...which, lacks };
};

/** Has the next generation built of each that lacks something this build knows of, unless one is being built. */
export const replayWhatLacks = async (
  records: Records,
  live: readonly Live[],
  log: Log,
  verify = false,
): Promise<void> => {
  for (const { projection, generation, lacks = [] } of live) {
    if (!projection.tables.some((table) => lacks.includes(table.name))) continue;
    const { name, version } = projection;
    const planned = await planReplay(records, { projection: name, version, verify });
    log.warn(
      { projection: name, generation, lacks, replay: planned?.id },
      'tables are newer than the live generation; the next one is built beside it, and until then nobody reads them',
    );
  }
};
