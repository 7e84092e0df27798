import type { Detection, PopEvent } from '@popsvc/contracts/commands';
import { defaultThresholds } from '@popsvc/contracts/metrics';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { mergeWatches } from '@popsvc/domain/audience';
import { readAgeCategory, readGender, readMood, readPlayReason } from '@popsvc/domain/vocabulary';
import type { Pool } from 'pg';

/** The network and vendor that a request's API key belongs to. */
export interface Sender {
  readonly networkId: number;
  readonly vendor: string;
}

const columns = {
  detection_ref: 'text',
  revision: 'int',
  device_id: 'bigint',
  feeder_id: 'bigint',
  watcher_id: 'bigint',
  reid: 'text',
  started_at: 'timestamptz',
  ended_at: 'timestamptz',
  gender: 'text',
  age: 'text',
  age_category: 'text',
  mood: 'text',
  distance: 'text',
  watches: 'tstzmultirange',
  population: 'text',
} as const;
const names = Object.keys(columns);
const unnested = Object.values(columns).map((type, index) => `$${index + 3}::${type}[]`);

/**
 * Inserts detections; a higher revision of a detection replaces a lower one. Also stores the duration of each device's longest
 * detection. The report uses this duration to limit how far back from the start of a play it searches for detections.
 */
const insertDetectionsSql = `
WITH received AS (SELECT * FROM unnest(${unnested.join(', ')}) AS d(${names.join(', ')})),
longest AS (
  UPDATE devices SET longest_detection = t.length
  FROM (SELECT device_id, max(ended_at - started_at) AS length FROM received GROUP BY device_id) t
  WHERE devices.id = t.device_id AND devices.longest_detection < t.length
)
INSERT INTO detections (network_id, vendor, ${names.join(', ')})
SELECT $1, $2, ${names.map((name) => (name === 'distance' ? 'distance::double precision[]' : name)).join(', ')} FROM received
ON CONFLICT (network_id, vendor, detection_ref)
DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}
WHERE detections.revision < excluded.revision`;

const watchesOf = ({ watches }: Detection): string => {
  const spans = watches.map(({ startedAt, endedAt }) => ({ from: instantMs(startedAt)!, to: instantMs(endedAt)! }));
  const merged = mergeWatches(spans, defaultThresholds.merge_gap_ms);
  return `{${merged.map(({ from, to }) => `[${instantOf(from)},${instantOf(to)})`).join(',')}}`;
};

const values = (one: Detection): Readonly<Record<keyof typeof columns, unknown>> => ({
  detection_ref: one.detectionId,
  revision: one.revision ?? 0,
  device_id: one.deviceId,
  feeder_id: one.feederId ?? null,
  watcher_id: one.watcherId,
  reid: one.reid ?? null,
  started_at: instantOf(instantMs(one.startedAt)!),
  ended_at: instantOf(instantMs(one.endedAt)!),
  gender: readGender(one.gender).value,
  age: one.age === undefined ? null : String(one.age),
  age_category: readAgeCategory(one.ageCategory, one.age).value,
  mood: readMood(one.mood).value,
  distance: `{${(one.distance ?? []).join(',')}}`,
  watches: watchesOf(one),
  population: one.population ?? 'VIEWER',
});

export const insertDetections = async (pool: Pool, sender: Sender, detections: readonly Detection[]): Promise<void> => {
  const newest = new Map<string, Detection>();
  for (const one of detections) {
    const known = newest.get(one.detectionId);
    if (known === undefined || (known.revision ?? 0) < (one.revision ?? 0)) newest.set(one.detectionId, one);
  }
  const rows = [...newest.values()].map(values);
  const arrays = names.map((name) => rows.map((row) => row[name as keyof typeof columns]));
  await pool.query({
    name: 'insert-detections',
    text: insertDetectionsSql,
    values: [sender.networkId, sender.vendor, ...arrays],
  });
};

const insertPlaysSql = `
INSERT INTO plays (network_id, vendor, event_id, screen_ref, site_ref, campaign_ref, creative_ref, played_at, ends_at,
  duration_ms, play_reason, impressions, context, device)
SELECT $1, $2, e.id, e.screen, e.site, e.campaign, e.creative, e.at, e.at + e.ms * interval '1 ms',
  e.ms, e.reason, e.impressions, e.context, e.device
FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::int[], $10::text[],
  $11::jsonb[], $12::jsonb[], $13::jsonb[])
  AS e(id, screen, site, campaign, creative, at, ms, reason, impressions, context, device)
ON CONFLICT (network_id, vendor, event_id) DO NOTHING`;

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** Inserts all plays in one statement; existing plays stay unchanged. */
export const insertPlays = async (pool: Pool, sender: Sender, plays: readonly PopEvent[]): Promise<void> => {
  await pool.query({
    name: 'insert-plays',
    text: insertPlaysSql,
    values: [
      sender.networkId,
      sender.vendor,
      plays.map(({ eventId }) => eventId),
      plays.map(({ screenId }) => screenId),
      plays.map(({ siteId }) => siteId ?? null),
      plays.map(({ campaignId }) => campaignId),
      plays.map(({ creativeId }) => creativeId),
      plays.map(({ playedAt }) => instantOf(instantMs(playedAt)!)),
      plays.map(({ durationMs }) => durationMs),
      plays.map(({ startReason }) => readPlayReason(startReason).value),
      plays.map(({ impressions }) => json(impressions)),
      plays.map(({ context }) => json(context)),
      plays.map(({ device }) => json(device)),
    ],
  });
};
