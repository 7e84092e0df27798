import type { PopRecorded } from '@popsvc/contracts/events';
import type { Mapping } from '@popsvc/contracts/mappings';
import { compileMapping, tryMapping, type MappingFailureCode } from '@popsvc/domain/mappings';
import type { FileRow } from '@popsvc/platform/row-readers';
import type { ZoneOf } from './device-zones.ts';
import { type FieldReport, FieldReports } from './field-report.ts';

export interface BadSampleRow {
  readonly row: number;
  readonly code: MappingFailureCode | 'unreadable';
  readonly reason: string;
}

/** What a mapping makes of a sample file. */
export interface SampleReport {
  readonly rows: number;
  readonly plays: number;
  /** Of the plays, those with different ids. */
  readonly distinct: number;
  readonly bad: number;
  /** How many rows are bad for which kind of reason. */
  readonly bad_by_code: Readonly<Record<string, number>>;
  /** The first of them. */
  readonly bad_rows: readonly BadSampleRow[];
  readonly fields: readonly FieldReport[];
  /** The first of the plays, as they would be kept. */
  readonly first_plays: readonly PopRecorded[];
}

const [mostBad, mostPlays] = [20, 3];

/** Maps every row of a sample as the service would on receiving it now, and tries each field on its own besides. */
export const trySample = async (
  mapping: Mapping,
  rows: AsyncIterable<FileRow>,
  zoneOf: ZoneOf,
  receivedAtMs: number,
): Promise<SampleReport> => {
  const [map, tryFields] = [compileMapping(mapping), tryMapping(mapping)];
  const fields = new FieldReports();
  const ids = new Set<string>();
  const byCode = new Map<string, number>();
  const badRows: BadSampleRow[] = [];
  const firstPlays: PopRecorded[] = [];
  const counts = { rows: 0, plays: 0, bad: 0 };
  const bad = (row: BadSampleRow) => {
    counts.bad += 1;
    byCode.set(row.code, (byCode.get(row.code) ?? 0) + 1);
    if (badRows.length < mostBad) badRows.push(row);
  };

  for await (const read of rows) {
    counts.rows += 1;
    if ('error' in read) {
      bad({ row: read.row, code: 'unreadable', reason: read.error });
      continue;
    }
    fields.add(tryFields(read.event));
    const mapped = map(read.event, { receivedAtMs, zoneOf });
    if ('unfit' in mapped) bad({ row: read.row, ...mapped.unfit });
    else {
      counts.plays += 1;
      ids.add(mapped.play.eventId);
      if (firstPlays.length < mostPlays) firstPlays.push(mapped.play);
    }
  }
  return {
    ...counts,
    distinct: ids.size,
    bad_by_code: Object.fromEntries(byCode),
    bad_rows: badRows,
    fields: fields.all(),
    first_plays: firstPlays,
  };
};
