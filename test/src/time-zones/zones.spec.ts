import { isKnownZone, listOffsetRanges, timeZoneVersion, zoneNames, zoneOffset } from '@popsvc/contracts/time-zones';
import { type ClickHouseWriter, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { localTimeSql, minuteOfWeekSql } from '@popsvc/read-models/queries';
import { ensureTimeZones, readTimeZoneVersion } from '@popsvc/read-models/schema';
import { expect } from 'chai';
import { formatLocalTimestamp } from '../oracle/time-labels.ts';
import { sharedClickHouse } from '../support/engines.ts';
import { instants, pastOffsets, source, zonesByOffsets } from './zone-offsets.fixture.ts';

/** Local times of the table, computed from offsets alone: zone, instant, local time. */
const shown = (instant: string, minutes: number): string => {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const offset = `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
  return `${new Date(Date.parse(instant) + minutes * 60_000).toISOString().slice(0, 23)}${offset}`;
};
const expected = Object.entries(zonesByOffsets)
  .flatMap(([offsets, zones]) =>
    zones
      .split(' ')
      .flatMap((zone) => offsets.split(',').map((each, index) => [zone, instants[index]!, Number(each)] as const)),
  )
  .concat(pastOffsets)
  .map(([zone, instant, minutes]) => [zone, instant, shown(instant, minutes)] as const);

/** The cases that were wrong with the rules of ClickHouse (2025a) and Node.js (2025c). */
const reported = [
  ['Pacific/Apia', '2026-10-21T22:00:00Z', '2026-10-22T11:00:00.000+13:00'],
  // IANA 2026b: British Columbia stays at UTC-7.
  ['America/Vancouver', '2026-11-20T15:30:00Z', '2026-11-20T08:30:00.000-07:00'],
  // IANA 2026c: Alberta stays at UTC-6, and Morocco at UTC.
  ['America/Edmonton', '2026-11-20T15:30:00Z', '2026-11-20T09:30:00.000-06:00'],
  ['Africa/Casablanca', '2026-11-20T15:30:00Z', '2026-11-20T15:30:00.000+00:00'],
  ['Africa/El_Aaiun', '2026-11-20T15:30:00Z', '2026-11-20T15:30:00.000+00:00'],
  // IANA 2026d and 2026e: so do the Northwest Territories, and Manitoba at UTC-5.
  ['America/Inuvik', '2026-11-20T15:30:00Z', '2026-11-20T09:30:00.000-06:00'],
  ['America/Yellowknife', '2026-11-20T15:30:00Z', '2026-11-20T09:30:00.000-06:00'],
  ['America/Winnipeg', '2026-11-20T15:30:00Z', '2026-11-20T10:30:00.000-05:00'],
  // IANA 2025b.
  ['America/Coyhaique', '2026-07-01T12:00:00Z', '2026-07-01T09:00:00.000-03:00'],
] as const;

describe(`the time zones: ${source}`, () => {
  let writer: ClickHouseWriter;
  before(async () => {
    const engine = await sharedClickHouse();
    writer = openClickHouseWriter({ url: `${engine.url}/${await engine.database()}`, ...engine.writer });
    await ensureTimeZones(writer);
  });
  after(() => writer.close());

  /** Local times by the SQL of reports. */
  const inClickHouse = async (cases: readonly (readonly [zone: string, instant: string, ...unknown[]])[]) => {
    const rows = await writer.rows<{ local: string }>(
      `SELECT ${localTimeSql('instant', 'zone')} AS local FROM (
         SELECT number, arrayElement({zones:Array(String)}, number + 1) AS zone,
           fromUnixTimestamp64Milli(arrayElement({times:Array(Int64)}, number + 1), 'UTC') AS instant
         FROM numbers(length({zones:Array(String)}))) ORDER BY number
       SETTINGS formatdatetime_f_prints_scale_number_of_digits = 1`,
      { params: { zones: cases.map(([zone]) => zone), times: cases.map(([, instant]) => Date.parse(instant)) } },
    );
    return rows.map(({ local }) => local);
  };

  it('are those of the table, with all of their names', () =>
    expect([...new Set(expected.map(([zone]) => zone))].sort()).to.deep.equal([...zoneNames].sort()));

  it('have the local times of the table in Node.js', () => {
    for (const [zone, instant, local] of [...expected, ...reported])
      expect(formatLocalTimestamp(Date.parse(instant), zone), `${zone} ${instant}`).to.equal(local);
  });

  it('have the local times of the table in ClickHouse', async () => {
    for (let at = 0; at < expected.length; at += 1_000) {
      const cases = expected.slice(at, at + 1_000);
      expect(await inClickHouse(cases)).to.deep.equal(cases.map(([, , local]) => local));
    }
    expect(await inClickHouse(reported)).to.deep.equal(reported.map(([, , local]) => local));
  });

  it('have the same offset in ClickHouse as in Node.js on both sides of each change from 2000 to 2040', async () => {
    const [first, end] = [Date.UTC(2000), Date.UTC(2040)];
    const differing: string[] = [];
    const cases = [
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Europe/London',
      'Pacific/Apia',
      'America/Vancouver',
      'UTC',
    ].flatMap((zone) =>
      listOffsetRanges(zone)
        .filter(({ fromMs }) => fromMs >= first && fromMs < end)
        .flatMap(({ fromMs }) => [fromMs - 1, fromMs])
        .map((ms) => [zone, new Date(ms).toISOString()] as const),
    );
    const found = await inClickHouse(cases);
    for (const [index, [zone, instant]] of cases.entries())
      if (found[index] !== formatLocalTimestamp(Date.parse(instant), zone)) differing.push(`${zone} ${instant}`);
    expect(differing).to.deep.equal([]);
    expect(cases.length).to.be.greaterThan(300);
  });

  it('give the minute of the week in local time', async () => {
    const at = (zone: string, instant: string) =>
      writer.rows<{ minute: number }>(
        `SELECT ${minuteOfWeekSql(`toDateTime64('${instant}', 3, 'UTC')`, `'${zone}'`)} AS minute`,
      );
    // A Thursday in Apia, and a Friday in Vancouver.
    expect(await at('Pacific/Apia', '2026-10-21 22:00:00')).to.deep.equal([{ minute: 3 * 1_440 + 11 * 60 }]);
    expect(await at('America/Vancouver', '2026-11-20 15:30:00')).to.deep.equal([{ minute: 4 * 1_440 + 8 * 60 + 30 }]);
    expect(await at('UTC', '2026-11-22 23:59:59')).to.deep.equal([{ minute: 7 * 1_440 - 1 }]);
  });

  it('fail a query of a zone that the data lacks', async () => {
    const error = await inClickHouse([['Europe/Atlantis', '2026-01-01T00:00:00Z']]).catch((cause: unknown) =>
      String(cause),
    );
    expect(error).to.match(/NULL/);
  });

  it('are known by their exact names only', () => {
    for (const name of ['America/Coyhaique', 'US/Pacific', 'Asia/Calcutta', 'UTC', 'Etc/GMT+1'])
      expect(isKnownZone(name), name).to.equal(true);
    for (const name of ['europe/london', 'Europe/Atlantis', '+01:00', '']) {
      expect(isKnownZone(name), name).to.equal(false);
      expect(zoneOffset(name)(0), name).to.equal(undefined);
    }
  });

  it('are written once, and again when their rows differ', async () => {
    const insertedParts = async () =>
      (
        await writer.rows<{ name: string }>(
          "SELECT name FROM system.parts WHERE database = currentDatabase() AND table = 'time_zones_g1' AND active ORDER BY name",
        )
      ).map(({ name }) => name);
    const before = await insertedParts();
    await ensureTimeZones(writer);
    expect(await insertedParts()).to.deep.equal(before);
    expect(await readTimeZoneVersion(writer)).to.equal(timeZoneVersion);

    const apia = [['Pacific/Apia', '2026-10-21T22:00:00Z', '2026-10-22T11:00:00.000+13:00']] as const;
    await writer.run(`ALTER TABLE time_zones_g1 UPDATE offset_seconds = -39600 WHERE zone = 'Pacific/Apia'`);
    await writer.run(`INSERT INTO time_zones_g1 VALUES ('2020a', 'Pacific/Apia', 0, 1, 0)`);
    await writer.run('SYSTEM RELOAD DICTIONARY dict_time_zones');
    expect(await inClickHouse(apia)).to.deep.equal(['2026-10-21T11:00:00.000-11:00']);
    await ensureTimeZones(writer);
    expect(await inClickHouse(apia)).to.deep.equal([apia[0][2]]);
    const versions = await writer.rows<{ version: string }>(
      'SELECT DISTINCT toString(version) AS version FROM time_zones_g1 ORDER BY version',
    );
    expect(versions.map(({ version }) => version)).to.deep.equal(['2020a', timeZoneVersion]);
  });
});
