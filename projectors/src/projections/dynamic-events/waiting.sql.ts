import { quarantine } from '@popsvc/read-models/tables';
import { generationTable } from '@popsvc/platform/clickhouse';

/** Events of a group that wait, and those this batch released in an earlier life: that is done again, as a whole. */
const candidates = (generation: number, select: string) => `
  SELECT ${select} FROM ${generationTable(quarantine, generation)} FINAL
  WHERE network_id = {network:UInt64} AND vendor = {vendor:String} AND schema_version = {schemaVersion:String}
  AND pos > {from:UInt64} AND pos <= {to:UInt64}
  AND ({every:UInt8} = 1 OR hasAny(screens, {screens:Array(String)}))
  AND (state = 'waiting' OR tried_pos > {after:UInt64} AND tried_pos <= {upTo:UInt64})
  ORDER BY pos`;

/** Where the next events stand, and how large they are; the events themselves are read once it is known how many fit. */
export const candidateSizes = (generation: number): string =>
  `${candidates(generation, 'toString(pos) AS position, raw_bytes')} LIMIT {most:UInt32}`;

export const candidateEvents = (generation: number): string =>
  candidates(
    generation,
    `toString(pos) AS position, toUnixTimestamp64Milli(received_at) AS received_ms,
    toUnixTimestamp64Milli(recorded_at) AS recorded_ms, toString(tried_pos) AS tried_position,
    toUnixTimestamp64Milli(tried_at) AS tried_ms, state, event_id, code, reason, screens, raw, max_age_days, job_id, job_row`,
  );

/** Schemas of which something waits for a screen, or waited when this batch began. */
export const groupsWithoutZone = (generation: number): string => `
  SELECT DISTINCT network_id AS network, vendor, schema_version AS schemaVersion
  FROM ${generationTable(quarantine, generation)} FINAL
  WHERE network_id IN {networks:Array(UInt64)} AND notEmpty(screens)
  AND (state = 'waiting' OR tried_pos > {after:UInt64})`;

/** The plays a page of released events became. */
export const releasedPlays = (generation: number): string => `
  SELECT network_id, vendor, event_id FROM ${generationTable(quarantine, generation)}
  WHERE network_id = {network:UInt64} AND vendor = {vendor:String} AND schema_version = {schemaVersion:String}
  AND pos > {from:UInt64} AND pos <= {to:UInt64}
  AND state = 'released' AND tried_pos > {after:UInt64} AND tried_pos <= {upTo:UInt64}`;
