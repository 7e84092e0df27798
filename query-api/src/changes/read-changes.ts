import { versionAfter } from '@popsvc/contracts/events';
import { ApiError } from '@popsvc/contracts/errors';
import {
  type ClickHouseReader,
  isTableMissing,
  type QueryOptions,
  RowBinaryReader,
  type Sql,
} from '@popsvc/platform/clickhouse';
import type { ReportRow } from '@popsvc/read-models/datasets';
import { dataAsOfMs, type GenerationProgress } from '../generations/live-generations.ts';
import { readRow } from '../reports/page-rows.ts';
import {
  type ChangeSelection,
  type LiveSince,
  listRenamedKinds,
  queryChangedRows,
  queryChangesFile,
  queryLiveSince,
  queryRenamedRows,
  queryRenames,
  queryWritten,
} from './change-queries.ts';
import type { ChangesCursor } from './cursor.ts';

export type Change =
  | { readonly op: 'upsert' | 'delete'; readonly row: ReportRow }
  | {
      readonly op: 'rename';
      readonly kind: string;
      readonly id: number;
      readonly columns: Readonly<Record<string, string>>;
    };

export interface Changes {
  readonly changes: readonly Change[];
  readonly next: ChangesCursor;
  readonly hasMore: boolean;
}

export interface ChangesFile {
  readonly query: Sql;
  readonly next: ChangesCursor;
  /** True if the file ends the changes of a former generation, so that the client must continue with the live one. */
  readonly hasMore: boolean;
}

export interface LiveProgress {
  readonly report: GenerationProgress;
  readonly registry: GenerationProgress;
}

interface VersionedRow {
  readonly version: string;
  readonly isWithdrawn: boolean;
  readonly row: ReportRow;
}

const toChange = ({ isWithdrawn, row }: VersionedRow): Change => ({ op: isWithdrawn ? 'delete' : 'upsert', row });

const gone = (reason: string): ApiError => {
  const message = `${reason}; begin again without a cursor`;
  return new ApiError('HISTORY_GONE', `since ${message}.`, { details: [{ path: 'since', message }] });
};

const tablesReplaced = 'continues tables that were replaced';

const foreignCursor = (): ApiError => {
  const message = 'must be a cursor of this dataset and network';
  return new ApiError('INVALID_PARAM', `since ${message}.`, { details: [{ path: 'since', message }] });
};

/** Highest version that rows of events up to a log position can have. */
const versionUpTo = (position: bigint): bigint => versionAfter(position) - 1n;

/** A name may be written after a scan with a time within the scan, so the next scan begins this much earlier. */
const overlapMs = 5_000;

interface Written {
  /** Highest version up to which a generation contains all rows of the network. */
  readonly version: bigint;
  /** Since when the generation keeps all former rows, in ms since 1970. */
  readonly keptSinceMs: number;
}

export const createChangesReader = (
  reader: Pick<ClickHouseReader, 'rows' | 'rowBinary'>,
  selected: Omit<ChangeSelection, 'generation' | 'registry'>,
  { report, registry }: LiveProgress,
  options: QueryOptions,
) => {
  const { dataset } = selected;
  const live = report.generation;
  const owner = { dataset: dataset.name, network: selected.network };
  const of = (generation: number): ChangeSelection => ({ ...selected, generation, registry: registry.generation });

  const readVersioned = async (query: ReturnType<typeof queryChangedRows>): Promise<readonly VersionedRow[]> => {
    const bytes = new RowBinaryReader(await reader.rowBinary(query, options));
    const rows: VersionedRow[] = [];
    while (!bytes.isAtEnd)
      rows.push({ version: bytes.readText(), isWithdrawn: bytes.readNumber() === 1, row: readRow(bytes, dataset) });
    return rows;
  };

  const readWritten = async (generation: number): Promise<Written> => {
    const query = queryWritten(of(generation));
    const [found] = await reader.rows<{ pos: string; pending: string; kept_since_ms: number }>(query, options);
    const written = versionUpTo(BigInt(found!.pos));
    const pending = BigInt(found!.pending);
    // Rows of a pending range get versions of at least `2n * pending` later. A client that had read beyond would miss them.
    const version = pending > 0n && 2n * pending - 1n < written ? 2n * pending - 1n : written;
    return { version, keptSinceMs: found!.kept_since_ms };
  };

  /**
   * Returns the version after which readers of a former generation continue in the live one. Throws HISTORY_GONE if `report_history` lacks
   * one of the two generations, or if different versions of the projection, whose rows may differ, built them.
   */
  const readSwitch = async (generation: number): Promise<bigint | undefined> => {
    if (generation === live) return undefined;
    const rows = await reader.rows<LiveSince>(queryLiveSince(dataset), options);
    const [former, now] = [generation, live].map((wanted) => rows.find((row) => row.generation === wanted));
    if (!former || !now || former.version !== now.version) throw gone(tablesReplaced);
    return versionUpTo(BigInt(now.pos));
  };

  const advance = (cursor: ChangesCursor, { version, keptSinceMs }: Written): ChangesCursor => ({
    ...cursor,
    version: String(version),
    ...(cursor.generation === live && { asOfMs: Math.max(dataAsOfMs(report, [selected.network]), keptSinceMs) }),
  });

  /** Throws HISTORY_GONE if former rows, which show what left the selected sites, were deleted since the cursor. */
  const readBeyond = async (cursor: ChangesCursor): Promise<Written & { readonly isNew: boolean }> => {
    const written = await readWritten(cursor.generation);
    const isNew = written.version > BigInt(cursor.version);
    if (isNew && selected.siteIds.length > 0 && cursor.asOfMs < written.keptSinceMs)
      throw gone('needs former rows of sites, which are no longer kept');
    return { ...written, isNew };
  };

  const current = async (): Promise<ChangesCursor> =>
    advance({ ...owner, generation: live, version: '0', asOfMs: 0, namesMs: registry.asOfMs }, await readWritten(live));

  /** A client that begins needs no earlier renames, because the rows that it reads show the current names. */
  const startOfAll = async (): Promise<ChangesCursor> => ({ ...(await current()), version: '0' });

  /** Resolves with undefined if the cursor includes the newest state of the registry. */
  const readNames = async (cursor: ChangesCursor, limit: number): Promise<Changes | undefined> => {
    const toMs = cursor.names?.toMs ?? registry.asOfMs;
    if (toMs <= cursor.namesMs) return undefined;
    const range = { fromMs: cursor.namesMs - overlapMs, toMs };
    const after = cursor.names?.after;
    const kinds = listRenamedKinds(dataset.columns);
    const changes: Change[] = [];
    const beyond = { ...cursor, namesMs: toMs, names: undefined };
    if (!after || 'kind' in after) {
      const found = await reader.rows<{ kind: number; id: number; name: string }>(
        queryRenames(of(live), range, after, limit + 1),
        options,
      );
      for (const { kind, id, name } of found.slice(0, limit)) {
        const renamed = kinds.find(({ index }) => index === kind)!;
        changes.push({ op: 'rename', kind: renamed.kind, id, columns: { [renamed.column]: name } });
      }
      const last = found[limit - 1];
      if (found.length > limit)
        return {
          changes,
          next: { ...cursor, names: { toMs, after: { kind: last!.kind, id: last!.id } } },
          hasMore: true,
        };
    }
    const rest = limit - changes.length;
    const rows = await readVersioned(
      queryRenamedRows(of(cursor.generation), range, after && 'ms' in after ? after : undefined, rest + 1),
    );
    changes.push(...rows.slice(0, rest).map(toChange));
    if (rows.length <= rest) return { changes, next: beyond, hasMore: false };
    // If renames fill the whole page, the next page begins with the first of the rows.
    const last = rows[rest - 1]?.row ?? { ms: 0, number: 0 };
    return {
      changes,
      next: { ...cursor, names: { toMs, after: { ms: last.ms, number: last.number } } },
      hasMore: true,
    };
  };

  /**
   * A client of a former generation reads that one up to the switch, then the live one. Some rows may come twice, because the batches of
   * two generations end at different events.
   */
  const readRowsOf = async (cursor: ChangesCursor, switchedAt: bigint | undefined, limit: number): Promise<Changes> => {
    const written = await readBeyond(cursor);
    const { version: upTo, isNew } = written;
    const range = { from: cursor.version, after: cursor.after, upTo };
    const rows = isNew ? await readVersioned(queryChangedRows(of(cursor.generation), range, limit + 1)) : [];
    const changes = rows.slice(0, limit).map(toChange);
    if (rows.length > limit) {
      const { version, row } = rows[limit - 1]!;
      return { changes, next: { ...cursor, after: { version, ms: row.ms, number: row.number } }, hasMore: true };
    }
    const rest = { ...cursor, after: undefined };
    if (switchedAt !== undefined && upTo >= switchedAt)
      return { changes, next: { ...rest, generation: live, version: String(switchedAt) }, hasMore: true };
    return { changes, next: isNew ? advance(rest, written) : cursor, hasMore: false };
  };

  const readAfter = async (since: ChangesCursor | undefined, limit: number): Promise<Changes> => {
    const cursor = since ?? (await startOfAll());
    const switchedAt = await readSwitch(cursor.generation);
    const names = await readNames(cursor, limit);
    if (names?.hasMore) return names;
    const before = names?.changes ?? [];
    if (before.length === limit) return { changes: before, next: names!.next, hasMore: true };
    const { changes, next, hasMore } = await readRowsOf(names?.next ?? cursor, switchedAt, limit - before.length);
    return { changes: [...before, ...changes], next, hasMore };
  };

  const unlessGone = async <T>(since: ChangesCursor | undefined, read: () => Promise<T>): Promise<T> => {
    if (since && (since.dataset !== owner.dataset || since.network !== owner.network)) throw foreignCursor();
    try {
      return await read();
    } catch (error) {
      if (since !== undefined && since.generation !== live && isTableMissing(error)) throw gone(tablesReplaced);
      throw error;
    }
  };

  return {
    current,
    /**
     * Throws HISTORY_GONE if the client cannot continue in the live tables, and INVALID_PARAM for a cursor of another dataset or network.
     */
    read: (since: ChangesCursor | undefined, limit: number): Promise<Changes> =>
      unlessGone(since, () => readAfter(since, limit)),
    /** Throws the same errors as `read`. */
    planFile: (since: ChangesCursor | undefined, format: 'ndjson' | 'parquet'): Promise<ChangesFile> =>
      unlessGone(since, async () => {
        // Without `after` and `names`, which mark a place within pages, the file may repeat changes that the client has read in pages.
        const cursor = { ...(since ?? (await startOfAll())), after: undefined, names: undefined };
        const switchedAt = await readSwitch(cursor.generation);
        const written = await readBeyond(cursor);
        const { version: upTo, isNew } = written;
        const toMs = registry.asOfMs;
        const renamed = toMs > cursor.namesMs ? { fromMs: cursor.namesMs - overlapMs, toMs } : undefined;
        const query = queryChangesFile(
          of(cursor.generation),
          { renamed, versions: { from: cursor.version, upTo } },
          format,
        );
        const next = { ...cursor, namesMs: Math.max(toMs, cursor.namesMs) };
        if (switchedAt !== undefined && upTo >= switchedAt)
          return { query, next: { ...next, generation: live, version: String(switchedAt) }, hasMore: true };
        return { query, next: isNew ? advance(next, written) : next, hasMore: false };
      }),
  };
};

/** Throws UNAVAILABLE if a progress is unknown, for example before the first event is projected. */
export const requireProgress = (
  report: GenerationProgress | undefined,
  registry: GenerationProgress | undefined,
): LiveProgress => {
  if (report && registry) return { report, registry };
  throw new ApiError('UNAVAILABLE', 'Nothing is projected yet. Retry later.');
};
