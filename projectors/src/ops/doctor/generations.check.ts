import { generationTable } from '@popsvc/contracts/tables';
import { type GenerationRecord, readGenerations, type ReplayRecord, unfinishedReplays } from '@popsvc/platform/records';
import { allProjections } from '../../all.ts';
import type { DoctorParts } from './doctor-parts.ts';
import { type Finding, ok, warning } from './finding.ts';

const check = 'generations';
const shown = 20;

/** Tables of generations, and the copies of them that are made to compare two. */
const tablesSql = `SELECT name FROM system.tables
  WHERE database = currentDatabase() AND match(name, '_g[0-9]+(_at_[0-9_]+)?$') ORDER BY name`;

const ours = new Set<string>(allProjections.flatMap(({ tables }) => tables.map((table) => table.name)));

/** Names of what PostgreSQL knows: tables of its generations, and copies while a replay may compare. */
const knownOf = (generations: readonly GenerationRecord[]): ReadonlySet<string> =>
  new Set(
    allProjections.flatMap(({ name, tables }) =>
      generations
        .filter(({ projection }) => projection === name)
        .flatMap(({ generation }) => tables.map((table) => generationTable(table, generation))),
    ),
  );

/**
 * Tables that PostgreSQL does not know: it was restored to a time before a replay. Harmless where they are, but they take room,
 * and nothing else removes them.
 */
const unknownTables = async (
  { writer, records }: Pick<DoctorParts, 'writer' | 'records'>,
  replays: readonly ReplayRecord[],
): Promise<readonly string[]> => {
  const [found, generations] = await Promise.all([
    writer.rows<{ name: string }>(tablesSql, { timeoutMs: 3_000 }),
    readGenerations(records),
  ]);
  const known = knownOf(generations);
  return found
    .map(({ name }) => name)
    .filter((name) => {
      const [table = '', copied] = name.split('_at_');
      if (!ours.has(table.replace(/_g\d+$/, ''))) return false;
      return !known.has(table) || (copied !== undefined && replays.length === 0);
    });
};

const dropping = (database: string, names: readonly string[]): string =>
  names
    .slice(0, shown)
    .map((name) => `DROP TABLE ${database}.${name};`)
    .join(' ');

/** Sets of tables: those nobody knows, and those that cannot be finished. */
export const lookAtGenerations = async (parts: DoctorParts): Promise<readonly Finding[]> => {
  const replays = await unfinishedReplays(parts.records);
  const unknown = await unknownTables(parts, replays);
  const stuck = replays.filter(({ error }) => error !== null);
  const more = unknown.length > shown ? `, and ${unknown.length - shown} more` : '';
  const wrong = [
    ...(unknown.length > 0
      ? [
          warning(
            check,
            `nobody knows of ${unknown.slice(0, shown).join(', ')}${more}`,
            `PostgreSQL was restored to a time before they were made, or somebody was killed while comparing. In ClickHouse: ${dropping(parts.writer.database, unknown)}`,
          ),
        ]
      : []),
    ...(stuck.length > 0
      ? [
          warning(
            check,
            stuck
              .map(({ projection, error }) => `the replay of ${projection} tries again after: ${error ?? ''}`)
              .join('; '),
            'It goes on by itself once that is mended; popsvc projections list shows it, and it can be cancelled.',
          ),
        ]
      : []),
  ];
  if (wrong.length > 0) return wrong;
  return [
    ok(
      check,
      replays.length === 0
        ? 'no replay runs'
        : `${replays.map(({ projection }) => projection).join(', ')} replayed just now`,
    ),
  ];
};
