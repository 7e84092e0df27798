import type { Detection } from '@popsvc/contracts/commands';
import { defaultThresholds } from '@popsvc/contracts/metrics';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { mergeWatches } from '@popsvc/domain/audience';
import { readAgeCategory, readGender, readMood } from '@popsvc/domain/vocabulary';
import type { Pool } from 'pg';
import type { Sender } from './sender.ts';

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

/** A higher revision takes the place of a lower one; the longest detection of a device is kept with the device. */
const text = `
WITH told AS (SELECT * FROM unnest(${unnested.join(', ')}) AS d(${names.join(', ')})),
longest AS (
  UPDATE devices SET longest_detection = t.length
  FROM (SELECT device_id, max(ended_at - started_at) AS length FROM told GROUP BY device_id) t
  WHERE devices.id = t.device_id AND devices.longest_detection < t.length
)
INSERT INTO detections (network_id, vendor, ${names.join(', ')})
SELECT $1, $2, ${names.map((name) => (name === 'distance' ? 'distance::double precision[]' : name)).join(', ')} FROM told
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
  await pool.query({ name: 'insert-detections', text, values: [sender.networkId, sender.vendor, ...arrays] });
};
