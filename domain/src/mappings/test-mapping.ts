import type { RecordedPlay } from '@popsvc/contracts/events';
import type { Mapping } from '@popsvc/contracts/mappings';
import type { QuarantineCode } from '@popsvc/contracts/vocabulary';
import { compileMapping } from './compile-mapping.ts';
import type { MappingContext } from './mapping-result.ts';
import { type FieldTrial, tryMapping } from './try-mapping.ts';

/** Row numbers start at 1. `error`: why the row cannot be read. */
export type SampleRow =
  | { readonly row: number; readonly event: Readonly<Record<string, unknown>> }
  | { readonly row: number; readonly error: string };

interface BadSampleRow {
  readonly row: number;
  readonly code: QuarantineCode | 'unreadable';
  readonly reason: string;
}

interface FieldReport {
  readonly field: string;
  readonly found: number;
  readonly missing: number;
  readonly unparsable: number;
  /** Up to three distinct values. */
  readonly examples: readonly string[];
  /** Up to three distinct reasons why the field could not be read. */
  readonly problems: readonly string[];
}

export interface SampleReport {
  readonly rows: number;
  readonly plays: number;
  /** Number of distinct ids among the plays. */
  readonly distinct: number;
  readonly bad: number;
  readonly bad_by_code: Readonly<Record<string, number>>;
  readonly bad_rows: readonly BadSampleRow[];
  readonly fields: readonly FieldReport[];
  readonly first_plays: readonly RecordedPlay[];
}

const maxExamples = 3;
const maxBadRows = 20;
const maxPlays = 3;

type FieldCounts = Record<FieldTrial['outcome'], number> & {
  readonly examples: Set<string>;
  readonly problems: Set<string>;
};

class FieldReportBuilder {
  readonly #fields = new Map<string, FieldCounts>();

  add(trials: readonly FieldTrial[]): void {
    for (const { field, outcome, value } of trials) {
      const counts = this.#countsOf(field);
      counts[outcome] += 1;
      const values = outcome === 'found' ? counts.examples : counts.problems;
      if (value !== undefined && values.size < maxExamples) values.add(value);
    }
  }

  build(): readonly FieldReport[] {
    return [...this.#fields].map(([field, { examples, problems, ...counts }]) => ({
      field,
      ...counts,
      examples: [...examples],
      problems: [...problems],
    }));
  }

  #countsOf(field: string): FieldCounts {
    let counts = this.#fields.get(field);
    if (!counts) {
      counts = { found: 0, missing: 0, unparsable: 0, examples: new Set(), problems: new Set() };
      this.#fields.set(field, counts);
    }
    return counts;
  }
}

/**
 * Maps every readable row of a sample file as if it was received at `receivedAtMs`, without an age limit, and tries each mapped field
 * separately.
 */
export const testMapping = async (
  mapping: Mapping,
  rows: AsyncIterable<SampleRow>,
  zoneOf: MappingContext['zoneOf'],
  receivedAtMs: number,
): Promise<SampleReport> => {
  const mapRow = compileMapping(mapping);
  const tryFields = tryMapping(mapping);
  const fields = new FieldReportBuilder();
  const ids = new Set<string>();
  const countByCode = new Map<string, number>();
  const badRows: BadSampleRow[] = [];
  const firstPlays: RecordedPlay[] = [];
  const counts = { rows: 0, plays: 0, bad: 0 };
  const addBad = (row: BadSampleRow) => {
    counts.bad += 1;
    countByCode.set(row.code, (countByCode.get(row.code) ?? 0) + 1);
    if (badRows.length < maxBadRows) badRows.push(row);
  };

  for await (const read of rows) {
    counts.rows += 1;
    if ('error' in read) {
      addBad({ row: read.row, code: 'unreadable', reason: read.error });
      continue;
    }
    fields.add(tryFields(read.event));
    const mapped = mapRow(read.event, { receivedAtMs, zoneOf });
    if ('unfit' in mapped) addBad({ row: read.row, ...mapped.unfit });
    else {
      counts.plays += 1;
      ids.add(mapped.play.eventId);
      if (firstPlays.length < maxPlays) firstPlays.push(mapped.play);
    }
  }
  return {
    ...counts,
    distinct: ids.size,
    bad_by_code: Object.fromEntries(countByCode),
    bad_rows: badRows,
    fields: fields.build(),
    first_plays: firstPlays,
  };
};
