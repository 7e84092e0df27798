import type { TableDefinition } from '@popsvc/contracts/tables';
import type { Writer } from '@popsvc/platform/read-store';
import type { Difference } from '@popsvc/platform/records';
import { type Fingerprint, fingerprintSql } from './fingerprint.sql.ts';
import { type Snapshots, snapshotOf } from './snapshots.ts';

const longestMs = 3_600_000;
/** What people look at; where there is more, there is one reason for it. */
const mostTold = 100;
const dayMs = 86_400_000;

const keyOf = ({ network, day }: Fingerprint) => `${network} ${day}`;

const read = async (writer: Writer, table: TableDefinition, from: string): Promise<Map<string, Fingerprint>> => {
  const rows = await writer.rows<Fingerprint>(fingerprintSql(table, from), { timeoutMs: longestMs });
  return new Map(rows.map((row) => [keyOf(row), row]));
};

const dayOf = (day: number | null): string | null =>
  day === null ? null : new Date(day * dayMs).toISOString().slice(0, 10);

const ofTable = async (
  writer: Writer,
  table: TableDefinition,
  { generations: [before, after], replay }: Pick<Compared, 'generations' | 'replay'>,
): Promise<Difference[]> => {
  const one = await read(writer, table, snapshotOf(table, before, replay));
  const other = await read(writer, table, snapshotOf(table, after, replay));
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((key) => {
    const [was, is] = [one.get(key), other.get(key)];
    if (was?.hash === is?.hash && was?.rows === is?.rows) return [];
    const { network, day } = (was ?? is)!;
    return [{ table: table.name, network, day: dayOf(day), rows_before: was?.rows ?? 0, rows_after: is?.rows ?? 0 }];
  });
};

export interface Compared extends Snapshots {
  readonly generations: readonly [before: number, after: number];
}

/** Where two generations differ, by table, network and day; at most a hundred. They are compared as their snapshots hold them. */
export const compare = async (
  writer: Writer,
  compared: Compared,
  signal: AbortSignal,
): Promise<readonly Difference[]> => {
  const found: Difference[] = [];
  for (const table of compared.projection.tables) {
    signal.throwIfAborted();
    found.push(...(await ofTable(writer, table, compared)));
    if (found.length >= mostTold) break;
  }
  return found.slice(0, mostTold);
};
