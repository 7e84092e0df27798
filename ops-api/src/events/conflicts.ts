import { isDeepStrictEqual } from 'node:util';
import { DynamicPlaysRecorded, formatItemId, type RecordedDynamicPlay } from '@popsvc/contracts/events';
import { Instant, instantOf } from '@popsvc/contracts/time';
import {
  bind,
  type ClickHouseReader,
  instantSql,
  joinWithAnd,
  liveViewName,
  type Sql,
  sql,
} from '@popsvc/platform/clickhouse';
import type { EventStore } from '@popsvc/platform/event-store';
import { instantParameter, jsonResponse, parseQuery, type Route, sequencePages } from '@popsvc/http-kit/server';
import { classifyReceipts } from '@popsvc/read-models/queries';
import { plays, receipts } from '@popsvc/read-models/tables';
import { z } from 'zod';
import { rejectUnknownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import {
  networkIdField,
  nextAfter,
  pageParameters,
  vendorField,
  type VendorFilter,
  vendorFilterConditions,
  vendorFilterParameters,
} from '../requests/parameters.ts';
import { type RawItem, readRawItems } from './raw-items.ts';

interface ConflictsFilter extends VendorFilter {
  /** In ms since 1970. Includes the whole hour that contains this time. */
  readonly since: number;
  readonly limit: number;
  readonly after?: { readonly sequence: string } | undefined;
}

const hourMs = 3_600_000;

const conflictCondition = ({ since, after, ...filter }: ConflictsFilter): Sql =>
  joinWithAnd([
    sql`outcome = 'conflict'`,
    ...vendorFilterConditions(filter),
    sql`hour > ${instantSql(since - hourMs)}`,
    after && sql`pos < ${bind('UInt64', after.sequence)}`,
  ]);

const newestConflicts = (wanted: ConflictsFilter): Sql => sql`
  SELECT network_id, vendor, event_id, pos FROM ${liveViewName(receipts)} WHERE ${conflictCondition(wanted)}
  ORDER BY pos DESC LIMIT ${bind('UInt64', wanted.limit + 1)}`;

interface ConflictRow {
  readonly network_id: number;
  readonly vendor: string;
  readonly event_id: string;
  readonly sequence: string;
  readonly received_ms: number;
  readonly first_sequence: string;
  readonly first_received_ms: number;
}

/** A receipt conflicts if its event id was received before with different content. */
const conflictsQuery = (wanted: ConflictsFilter): Sql => sql`
SELECT network_id, vendor, event_id, toString(pos) AS sequence, toUnixTimestamp64Milli(received_at) AS received_ms,
  toString(first_pos) AS first_sequence, toUnixTimestamp64Milli(first_received_at) AS first_received_ms
FROM (
  SELECT *, argMin(received_at, pos) OVER same AS first_received_at
  FROM (${classifyReceipts(sql`${liveViewName(plays)} WHERE (network_id, vendor, event_id) IN
    (SELECT network_id, vendor, event_id FROM (${newestConflicts(wanted)}))`)})
  WINDOW same AS (PARTITION BY network_id, vendor, event_id)
)
WHERE outcome = 'conflict' AND (network_id, vendor, pos) IN (SELECT network_id, vendor, pos FROM (${newestConflicts(wanted)}))
ORDER BY pos DESC`;

type Content = Readonly<Record<string, unknown>>;

/** Omits the fields that the service added to an event in a vendor's own schema. */
const contentOf = (raw: RawItem | undefined): Content | null => {
  if (!raw) return null;
  return (raw.type === DynamicPlaysRecorded.type ? (raw.data as RecordedDynamicPlay).event : raw.data) as Content;
};

const differingFields = (first: Content, later: Content): string[] =>
  [...new Set([...Object.keys(first), ...Object.keys(later)])].filter(
    (name) => !isDeepStrictEqual(first[name], later[name]),
  );

const differentSchema = ['(another schema)'];

const findDifferences = (first: RawItem | undefined, later: RawItem | undefined): readonly string[] => {
  if (!first || !later) return [];
  if (first.type !== later.type) return differentSchema;
  return differingFields(contentOf(first) ?? {}, contentOf(later) ?? {});
};

const toConflict = (found: ConflictRow, raws: ReadonlyMap<string, RawItem>) => {
  const { network_id, vendor, event_id, sequence, received_ms, first_sequence, first_received_ms } = found;
  const [first, later] = [raws.get(first_sequence), raws.get(sequence)];
  const side = (at: string, receivedMs: number, raw: RawItem | undefined) => ({
    position: formatItemId(BigInt(at)),
    received_at: instantOf(receivedMs),
    type: raw?.type ?? null,
    content: contentOf(raw),
  });
  return {
    network_id,
    vendor,
    event_id,
    differs: findDifferences(first, later),
    first: side(first_sequence, first_received_ms, first),
    later: side(sequence, received_ms, later),
  };
};

const ConflictSide = z.object({
  position: z.string().describe('In the log: `position:index`.'),
  received_at: Instant.describe('When the service received it.'),
  type: z.string().nullable().describe('Type of the event in the log; null if the log no longer has it.'),
  content: z.looseObject({}).nullable().describe('The content as sent; null if the log no longer has it.'),
});

const ConflictsResponse = z
  .object({
    since: Instant.describe('Only events received at or after this time, or earlier in its hour.'),
    conflicts: z
      .array(
        z.object({
          network_id: networkIdField,
          vendor: vendorField,
          event_id: z.string().describe('The id that both receipts have.'),
          differs: z.array(z.string()).describe('Names of the fields that differ.'),
          first: ConflictSide.describe('The first receipt of the id, which counts.'),
          later: ConflictSide.describe('The receipt with other content, which does not count.'),
        }),
      )
      .describe('Newest first.'),
    next_after: nextAfter,
  })
  .meta({ id: 'Conflicts' });

const ConflictsQuery = z.strictObject({
  ...vendorFilterParameters,
  since: instantParameter.optional(),
  ...pageParameters(sequencePages, 20),
});

const defaultWindowMs = 31 * 86_400_000;

interface ConflictsDependencies {
  readonly reader: ClickHouseReader;
  readonly store: EventStore;
}

export const conflictsRoute = ({ reader, store }: ConflictsDependencies, registryLog: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/conflicts',
  summary: 'Events whose id was sent again with different content, newest first; of the last 31 days by default.',
  operationId: 'listConflicts',
  access: 'viewer',
  examples: [{ name: 'ofTheDemoVendor', query: { network: 1, vendor: 'demo', since: '2026-08-01T00:00:00Z' } }],
  schemas: { query: ConflictsQuery, responses: { 200: ConflictsResponse } },
  async handle({ query, signal }) {
    const filter = parseQuery(ConflictsQuery, query);
    const since = filter.since ?? Date.now() - defaultWindowMs;
    const found = await reader.rows<ConflictRow>(conflictsQuery({ ...filter, since }), { signal });
    if (found.length === 0) await rejectUnknownFilter(registryLog, filter);
    const page = sequencePages.cutPage(found, filter.limit);
    const raws = await readRawItems(
      store,
      page.rows.flatMap(({ sequence, first_sequence }) => [sequence, first_sequence]),
    );
    return jsonResponse(200, {
      since: instantOf(since),
      conflicts: page.rows.map((conflict) => toConflict(conflict, raws)),
      next_after: page.next,
    });
  },
});
