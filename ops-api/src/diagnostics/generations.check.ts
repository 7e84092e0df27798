import { generationTable } from '@popsvc/platform/clickhouse';
import {
  type GenerationRecord,
  readGenerations,
  type ReplayRecord,
  unfinishedReplays,
} from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { type Finding, ok, warning } from './finding.ts';

const check = 'generations';
const shown = 20;

/** Tables of generations, and the copies of them that are made to compare two. */
const tablesSql = `SELECT name FROM system.tables
  WHERE database = currentDatabase() AND match(name, '_g[0-9]+(_at_[0-9_]+)?$') ORDER BY name`;

/** Names of what PostgreSQL knows: tables of its generations, and copies while a replay may compare. */
const knownOf = ({ generations, declarations }: Known): ReadonlySet<string> =>
  new Set(
    declarations.flatMap(({ name, tables }) =>
      generations
        .filter(({ projection }) => projection === name)
        .flatMap(({ generation }) => tables.map((table) => generationTable(table, generation))),
    ),
  );

type Parts = Pick<DiagnosticsDependencies, 'writer' | 'postgres' | 'declarations'>;

const tablesThere = async ({ writer }: Parts): Promise<readonly string[]> =>
  (await writer.rows<{ name: string }>(tablesSql, { timeoutMs: 1_500 })).map(({ name }) => name);

/** What PostgreSQL knows of generations, and of replays that have not ended. */
interface Known {
  readonly generations: readonly GenerationRecord[];
  readonly replays: readonly ReplayRecord[];
  readonly declarations: readonly ProjectionDeclaration[];
}

const isUnknown = (all: Known) => {
  const { declarations, replays } = all;
  const known = knownOf(all);
  const ours = new Set<string>(declarations.flatMap(({ tables }) => tables.map((table) => table.name)));
  return (name: string): boolean => {
    const [table = '', copied] = name.split('_at_');
    if (!ours.has(table.replace(/_g\d+$/, ''))) return false;
    return !known.has(table) || (copied !== undefined && replays.length === 0);
  };
};

/**
 * Tables that PostgreSQL does not know: it was restored to a time before a replay. Harmless where they are, but they take room,
 * and nothing else removes them. Whoever is told drops them, so none of a replay may be among them: a table is made after what
 * PostgreSQL knows of it, and dropped before that is forgotten. So it is looked for before PostgreSQL is asked, and after it.
 */
const unknownTables = async (parts: Parts, found: readonly string[], known: Known): Promise<readonly string[]> => {
  const suspects = found.filter(isUnknown(known));
  if (suspects.length === 0) return [];
  const still = new Set(await tablesThere(parts));
  return suspects.filter((name) => still.has(name));
};

const dropping = (database: string, names: readonly string[]): string =>
  names
    .slice(0, shown)
    .map((name) => `DROP TABLE ${database}.${name};`)
    .join(' ');

/** Sets of tables: those nobody knows, and those that cannot be finished. */
export const lookAtGenerations = async (parts: Parts): Promise<readonly Finding[]> => {
  const found = await tablesThere(parts);
  const [generations, replays] = await Promise.all([
    readGenerations(parts.postgres),
    unfinishedReplays(parts.postgres),
  ]);
  const unknown = await unknownTables(parts, found, { generations, replays, declarations: parts.declarations });
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
            'It goes on by itself once that is mended; popsvc projections watch NAME shows how it goes, cancel NAME ends it.',
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
