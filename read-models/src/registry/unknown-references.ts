import type { PlayReference } from '@popsvc/contracts/responses';
import {
  bind,
  chunkForParameter,
  type ClickHouseReader,
  dictionaryName,
  type Sql,
  sql,
} from '@popsvc/platform/clickhouse';

/**
 * Retired ids, ids that an entity had before, and empty campaign or creative ids count as registered. `screenPlaces`: FROM source of the
 * rows of `screen_places`.
 */
export const unresolvedFields = (screenPlaces: Sql): Sql => sql`arrayFilter(field -> field != '', [
  if((network_id, screen_id) IN (SELECT network_id, screen_id FROM ${screenPlaces}), '', 'screenId'),
  if(campaign_ref = '' OR dictHas(${dictionaryName('campaigns')}, (network_id, campaign_ref)), '', 'campaignId'),
  if(creative_ref = '' OR dictHas(${dictionaryName('creatives')}, (network_id, creative_ref)), '', 'creativeId')])`;

export interface UnknownReference {
  readonly network_id: number;
  readonly vendor: string;
  readonly field: PlayReference;
  readonly value: string;
  /** Number of plays; approximate above 65,536. */
  readonly count: number;
  /**
   * When the newest of these plays was received, in ms since 1970; if the receipt is not found, when the newest source event was appended.
   */
  readonly last_received_ms: number;
}

export interface ReferenceSources {
  /** The rows of `coffee` to search. Limit them to a window of `ts`, because the duration of the query grows with their number. */
  readonly coffee: Sql;
  readonly screenPlaces: Sql;
  readonly playsWhere: (condition: Sql) => Sql;
}

/** `references`: the most frequent ids. `total`: the number of all such ids. */
export interface UnknownReferences {
  readonly references: readonly UnknownReference[];
  readonly total: number;
}

interface ReferenceRow extends Omit<UnknownReference, 'last_received_ms'> {
  readonly total: number;
  readonly last_event_id: string;
  readonly last_pos: string;
  readonly recorded_ms: number;
}

const referencesQuery = ({ coffee, screenPlaces }: ReferenceSources, limit: number): Sql => sql`
SELECT network_id, vendor, field, value, uniq(event_id) AS count, argMax(event_id, play_pos) AS last_event_id,
  toString(max(play_pos)) AS last_pos, toUnixTimestamp64Milli(max(recorded_at)) AS recorded_ms,
  count() OVER () AS total
FROM (
  SELECT network_id, toString(vendor) AS vendor, event_id, play_pos, recorded_at, arrayJoin(${unresolvedFields(screenPlaces)}) AS field,
    multiIf(field = 'screenId', screen_id, field = 'campaignId', campaign_ref, creative_ref) AS value
  FROM ${coffee}
)
GROUP BY network_id, vendor, field, value
ORDER BY count DESC, network_id, vendor, field, value LIMIT ${bind('UInt64', limit)}`;

interface ReceiptRow {
  readonly pos: string;
  readonly received_ms: number;
}

const newestPlays = (found: readonly ReferenceRow[]): Sql => {
  const all = (type: 'UInt64' | 'String', column: keyof ReferenceRow) =>
    bind(
      `Array(${type})`,
      found.map((row) => row[column]),
    );
  return sql`(network_id, vendor, event_id) IN (
    SELECT play.1, play.2, play.3 FROM (SELECT arrayJoin(arrayZip(
      ${all('UInt64', 'network_id')}, ${all('String', 'vendor')}, ${all('String', 'last_event_id')})) AS play))
  AND toString(pos) IN ${all('String', 'last_pos')}`;
};

/** Returns at most `limit` references, the most frequent first. */
export const readUnknownReferences = async (
  reader: Pick<ClickHouseReader, 'rows'>,
  sources: ReferenceSources,
  { limit, signal }: { readonly limit: number; readonly signal?: AbortSignal },
): Promise<UnknownReferences> => {
  const options = { ...(signal && { signal }) };
  const found = await reader.rows<ReferenceRow>(referencesQuery(sources, limit), options);
  const [first] = found;
  if (!first) return { references: [], total: 0 };
  // `recorded_at` of a row of coffee may be that of a detection, so the time of receipt comes from `plays`.
  const receivedMs = new Map<string, number>();
  for (const chunk of chunkForParameter(found, ({ last_event_id }) => last_event_id)) {
    const plays = sources.playsWhere(newestPlays(chunk));
    const receipts = await reader.rows<ReceiptRow>(
      sql`SELECT toString(pos) AS pos, toUnixTimestamp64Milli(received_at) AS received_ms FROM ${plays}`,
      options,
    );
    for (const { pos, received_ms } of receipts) receivedMs.set(pos, received_ms);
  }
  const references = found.map(({ last_event_id: _, last_pos, recorded_ms, total: __, ...reference }) => ({
    ...reference,
    last_received_ms: receivedMs.get(last_pos) ?? recorded_ms,
  }));
  return { references, total: first.total };
};
