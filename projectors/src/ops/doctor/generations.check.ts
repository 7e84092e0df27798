import { generationTable } from '@popsvc/contracts/tables';
import { readGenerations, unfinishedReplays } from '@popsvc/platform/records';
import { allProjections } from '../../all.ts';
import type { DoctorParts } from './doctor-parts.ts';
import { type Finding, ok, warning } from './finding.ts';

const check = 'generations';

const tablesSql = "SELECT name FROM system.tables WHERE database = currentDatabase() AND match(name, '_g[0-9]+$')";

/**
 * Tables that PostgreSQL does not know: it was restored to a time before a replay. Harmless where they are, but the next replay
 * would take the same number.
 */
const unknownTables = async ({ writer, records }: DoctorParts): Promise<readonly string[]> => {
  const [found, generations] = await Promise.all([
    writer.rows<{ name: string }>(tablesSql, { timeoutMs: 3_000 }),
    readGenerations(records),
  ]);
  const known = new Set(
    allProjections.flatMap(({ name, tables }) =>
      generations
        .filter(({ projection }) => projection === name)
        .flatMap(({ generation }) => tables.map((table) => generationTable(table, generation))),
    ),
  );
  const ours = new Set(allProjections.flatMap(({ tables }) => tables.map((table) => table.name)));
  return found
    .map(({ name }) => name)
    .filter((name) => ours.has(name.replace(/_g\d+$/, '')) && !known.has(name))
    .sort();
};

/** Sets of tables: those nobody knows, and those that cannot be finished. */
export const lookAtGenerations = async (parts: DoctorParts): Promise<readonly Finding[]> => {
  const [unknown, replays] = await Promise.all([unknownTables(parts), unfinishedReplays(parts.records)]);
  if (unknown.length > 0)
    return [
      warning(
        check,
        `nobody knows of ${unknown.slice(0, 20).join(', ')}`,
        'PostgreSQL was restored to a time before they were made. Drop them (DROP TABLE) before the next replay.',
      ),
    ];
  const stuck = replays.filter(({ error }) => error !== null);
  if (stuck.length > 0)
    return [
      warning(
        check,
        stuck
          .map(({ projection, error }) => `the replay of ${projection} tries again after: ${error ?? ''}`)
          .join('; '),
        'It goes on by itself once that is mended; popsvc projections list shows it, and it can be cancelled.',
      ),
    ];
  return [
    ok(
      check,
      replays.length === 0
        ? 'no replay runs'
        : `${replays.map(({ projection }) => projection).join(', ')} replayed just now`,
    ),
  ];
};
