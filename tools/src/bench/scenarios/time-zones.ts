import { openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { localTimeSql } from '@popsvc/read-models/queries';
import { ensureTimeZones, timeZoneDictionary } from '@popsvc/read-models/schema';
import { alternate, compare } from '../harness/comparison.ts';
import { measureSlice } from '../harness/process-usage.ts';
import { cpuPerUnit, type Side } from '../harness/slices.ts';
import type { Scenario } from './scenario.ts';

const arraysDictionary = 'dict_time_zone_arrays';
const rowsOfQuery = 1_000_000;

/** The three forms of local time with its offset, of the instant `ts` and the zone `tz`. */
const forms = {
  formatDateTime: `formatDateTime(ts, '%Y-%m-%dT%H:%i:%S.%f%z', tz)`,
  ranges: localTimeSql('ts', 'tz'),
  // As `ranges`, with the offset from arrays of the starts and offsets of the zone.
  arrays: localTimeSql('ts', 'tz').replaceAll(
    /dictGetOrNull\('dict_time_zones', 'offset_seconds', tuple\(tz\), (toUnixTimestamp64Milli\(ts\))\)/g,
    `dictGet('${arraysDictionary}', 'offsets', tuple(tz))[arrayLastIndex(from -> from <= $1, dictGet('${arraysDictionary}', 'starts', tuple(tz)))]`,
  ),
};

export const timeZonesScenario: Scenario = {
  name: 'time-zones',
  about:
    'local times of 1,000,000 rows in one thread: dictionary of ranges and dictionary of arrays, compared with formatDateTime',
  async run(rig, { pairs }) {
    const { url, writer: user, pid: clickhouse } = await rig.clickhouse();
    const writer = openClickHouseWriter({ url, ...user });
    rig.onClose(() => writer.close());
    await writer.createDatabase();
    await ensureTimeZones(writer);
    await writer.run(`CREATE DICTIONARY ${arraysDictionary} (zone String, starts Array(Int64), offsets Array(Int64))
      PRIMARY KEY zone LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)
      SOURCE(CLICKHOUSE(USER '${user.username}' PASSWORD '${user.password}' DB '${writer.database}' QUERY
        'SELECT zone, groupArray(from_ms), groupArray(offset_seconds) FROM (SELECT * FROM ${writer.database}.${timeZoneDictionary} ORDER BY zone, from_ms) GROUP BY zone'))`);
    const side = (name: keyof typeof forms): Side => ({
      name,
      slice: () =>
        measureSlice({ clickhouse }, async () => {
          await writer.run(
            `SELECT ignore(${forms[name]}) FROM (
               SELECT fromUnixTimestamp64Milli(1760000000000 + number * 30000, 'UTC') AS ts,
                 ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Pacific/Apia'][number % 4 + 1] AS tz
               FROM numbers(${rowsOfQuery})) FORMAT Null
             SETTINGS max_threads = 1, allow_nonconst_timezone_arguments = 1`,
          );
          return { units: rowsOfQuery, latenciesMs: [] };
        }),
    });
    const blocks = await alternate({
      sides: [side('formatDateTime'), side('ranges'), side('arrays')],
      pairs: Math.max(2, Math.floor(pairs / 5)),
    });
    const times = { unit: 'µs', baseline: 'formatDateTime', reading: 'times', cost: cpuPerUnit() } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU a local time, ranges', system: 'ranges' }),
        compare(blocks, { ...times, name: 'CPU a local time, arrays', system: 'arrays' }),
      ],
      figures: [],
    };
  },
};
