import { coffee, feederHeartbeats, feederPlaces } from '@popsvc/read-models/tables';
import { generationTable } from '@popsvc/platform/clickhouse';
import { feederOnlineWindowMs } from '@popsvc/domain/audience';
import { inBatch } from '../../engine/in-batch.sql.ts';
import { spanMs } from '../rows/spans.ts';

/** Plays that begin within five minutes of a beat, or run at it, as far as no earlier beat had told of their feeder. */
export const reachedByBeats = (g: number) => `
  SELECT f.network_id AS network_id, f.device_id AS device_id, b.reach_from AS started_at, b.reach_to AS ended_at,
    arrayJoin(range(toUInt32(intDiv(toUnixTimestamp64Milli(b.reach_from), ${spanMs})),
                    toUInt32(intDiv(toUnixTimestamp64Milli(b.reach_to) - 1, ${spanMs})) + 1)) AS span
  FROM (
    SELECT network_id, feeder_id, reach_from, addMilliseconds(at, ${feederOnlineWindowMs + 1}) AS reach_to
    FROM ${generationTable(feederHeartbeats, g)}
    WHERE ${inBatch()} AND reach_from < reach_to
  ) AS b
  INNER JOIN (SELECT DISTINCT network_id, feeder_id, device_id FROM ${generationTable(feederPlaces, g)} WHERE device_id > 0) AS f
  ON b.network_id = f.network_id AND b.feeder_id = f.feeder_id`;

/** Rows of coffee in the stretch of a change, or in a day of it. */
export const coffeeWindow = `network_id = {network:UInt64}
  AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`;

/** Devices that a feeder had, has or lost whose segments this batch wrote, if it was heard where a play of the stretch asks. */
const regrouped = (g: number) => `
  SELECT device_id FROM ${generationTable(feederPlaces, g)}
  WHERE network_id = {network:UInt64} AND feeder_id IN (
    SELECT feeder_id FROM ${generationTable(feederPlaces, g)}
    WHERE network_id = {network:UInt64} AND version >= 2 * {upTo:UInt64}
    AND feeder_id IN (
      SELECT feeder_id FROM ${generationTable(feederHeartbeats, g)}
      WHERE network_id = {network:UInt64} AND span >= intDiv({fromMs:Int64} - ${feederOnlineWindowMs}, ${spanMs})
      AND span <= (SELECT intDiv(max(toUnixTimestamp64Milli(ts) + duration_ms), ${spanMs})
                   FROM ${generationTable(coffee, g)} WHERE ${coffeeWindow})))`;

/** Rows that a change of feeders may make stale: where somebody was seen, feeders say nothing. */
export const ofRegroupedFeeders = (g: number): string =>
  `detection_id = '' AND device_id > 0 AND device_id IN (${regrouped(g)})`;
