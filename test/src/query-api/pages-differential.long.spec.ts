import { reportLimits } from '@popsvc/contracts/responses';
import { listOffsetRanges, zoneNames } from '@popsvc/contracts/time-zones';
import { AGE_CATEGORIES, GENDERS, MOODS, PLAY_REASONS, POP_TYPES } from '@popsvc/contracts/vocabulary';
import type { Row } from '@popsvc/platform/clickhouse';
import { reloadDictionaries } from '@popsvc/read-models/schema';
import { coffee, registryTables, watcherSummary } from '@popsvc/read-models/tables';
import { createRandom } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { coffeeRow, networkRow, siteRow, watcherRow } from './rows.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const rowCount = isLong ? 40_000 : 2_000;
const { chance, integer, pick } = (() => {
  const random = createRandom(Number(process.env['POPSVC_SEED'] ?? 20261128));
  return { chance: random.happens, integer: random.integer, pick: random.pick };
})();

const dayMs = 86_400_000;
const [firstMs, lastMs] = [Date.UTC(2025, 0, 1), Date.UTC(2028, 0, 1)];
const network = 1;

/** Instants around the changes of the offset of a zone, and any others. */
const instantIn = (zone: string): number => {
  const changes = listOffsetRanges(zone).filter(({ fromMs }) => fromMs > firstMs && fromMs < lastMs);
  return changes.length > 0 && chance(0.5)
    ? pick(changes).fromMs + integer(-7_200_000, 7_200_000)
    : integer(firstMs, lastMs - 1);
};

const characters = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCodePoint(code)),
  ...[
    '\u007f',
    '\u0080',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\ufffd',
    '\u{1f4fa}',
    '"',
    '\\',
    '/',
    "'",
    '<',
    '&',
    'ä',
    '漢',
  ],
  ...['a', 'Z', '0', ' ', '\\N', '\\t', '_ts', ',"_ts":1'],
];
const randomText = (longest: number): string =>
  Array.from({ length: chance(0.2) ? 0 : integer(0, longest) }, () => pick(characters)).join('');

/** Ids of which the registry contains those up to `known`. */
const [known, largest] = [20, 30];
const id = () => integer(0, largest);
const reference = () => `ref-${integer(1, largest)}${chance(0.1) ? '"\t\\' : ''}`;
const ms = () => pick([0, 1, 999, 1_000, 10_005, integer(0, 86_400_000)]);

const place = () => ({ device_id: id(), location_id: id(), site_id: id() });
const person = () => ({ gender: pick(GENDERS), age_category: pick(AGE_CATEGORIES), mood: pick(MOODS) });
const positions = () => ({ play_pos: integer(1, 2 ** 50), detection_pos: BigInt(integer(0, 2 ** 50)) * 4_000n });

const randomDetection = (startMs: number) => {
  const fromMs = startMs + integer(-60_000, 60_000);
  const times = Array.from({ length: integer(0, 4) }, () => fromMs + integer(0, 10_000));
  return {
    detection_id: `d-${integer(1, 1_000)}`,
    watcher_id: integer(-(2 ** 52), 2 ** 52),
    detected_from: fromMs,
    detected_to: fromMs + ms(),
    ...person(),
    reid: randomText(40),
    age: randomText(5),
    distance: Array.from({ length: integer(0, 3) }, () =>
      pick([0, 0.1, -1.5, 1e-7, 1e21, 123_456.789, integer(0, 1e9) / 7]),
    ),
    watch_starts: times,
    watch_ends: times.map((at) => at + integer(0, 5_000)),
    presence_ms: ms(),
    watch_ms: ms(),
    feeder_id: id(),
  };
};

const randomPlay = (index: number): Row => {
  const zone = pick(zoneNames);
  const ts = instantIn(zone);
  return coffeeRow({
    network_id: network,
    ts,
    number: index,
    vendor: pick(['acme', 'other', 'a"b']),
    event_id: randomText(30),
    campaign_ref: reference(),
    creative_ref: reference(),
    play_reason: pick(PLAY_REASONS),
    duration_ms: ms(),
    ...place(),
    site_tz: zone,
    device_tz: chance(0.3) ? '' : pick(zoneNames),
    is_business_hour: pick([null, 0, 1]),
    pop_type: pick(POP_TYPES),
    ...(chance(0.6) && randomDetection(ts)),
    is_impression: integer(0, 1),
    is_watched: integer(0, 1),
    is_glance: integer(0, 1),
    is_view: integer(0, 1),
    is_view_through: integer(0, 1),
    ...positions(),
    recorded_at: ts + integer(0, 100 * dayMs),
    projected_at: ts + integer(0, 100 * dayMs),
  });
};

const randomWatcher = (index: number): Row => {
  const zone = pick(zoneNames);
  return watcherRow({
    network_id: network,
    ts: instantIn(zone),
    number: index,
    ...place(),
    ...person(),
    site_tz: zone,
    feeder_id: id(),
    camera_id: id(),
    watcher_id: integer(-(2 ** 52), 2 ** 52),
    detection_ms: ms(),
    watch_ms: ms(),
    is_watcher: integer(0, 1),
  });
};

/** A registry with long names, all characters, and without some of the ids; some entities are retired. */
const registerAll = async (api: TestQueryApi): Promise<void> => {
  const { networks, vendors, sites, locations, devices, feeders, cameras, campaigns, creatives } = registryTables;
  const version = 1;
  const name = () => randomText(chance(0.1) ? 500 : 20);
  const ids = Array.from({ length: known }, (_, index) => index + 1);
  const own = { network_id: network, version };
  await api.insert(networks, [networkRow({ network_id: network, name: 'One' })]);
  await api.insert(vendors, [{ code: 'acme', name: name(), retired: 1, ...own }]);
  await api.insert(
    sites,
    ids.map((site_id) => siteRow({ ...own, site_id, name: name() })),
  );
  await api.insert(
    locations,
    ids.map((location_id) => ({ ...own, location_id, site_id: 1, name: name() })),
  );
  await api.insert(
    devices,
    ids.map((device_id) => ({ ...own, device_id, location_id: 1, name: name(), retired: integer(0, 1) })),
  );
  await api.insert(
    feeders,
    ids.map((feeder_id) => ({ ...own, feeder_id, device_id: 1, name: name(), only_camera_id: id(), retired: 0 })),
  );
  await api.insert(
    cameras,
    ids.map((camera_id) => ({ ...own, camera_id, device_id: 1, name: name() })),
  );
  const strategy = () =>
    chance(0.5) ? { strategy_id: null, strategy_name: null } : { strategy_id: id(), strategy_name: name() };
  await api.insert(
    campaigns,
    ids.map((campaign_id) => ({
      ...own,
      external_id: `ref-${campaign_id}`,
      campaign_id,
      name: name(),
      subscription_name: chance(0.5) ? null : name(),
      ...strategy(),
    })),
  );
  await api.insert(
    creatives,
    ids.map((each) => ({ ...own, external_id: `ref-${each}`, title: name(), display_title: name(), ...strategy() })),
  );
  await reloadDictionaries((query) => api.writer.run(query));
};

const { maxWindowDays } = reportLimits;

/** Fails with the part of the lines around their first difference. */
const expectSame = (page: string, file: string) => {
  const at = Array.from({ length: file.length }).findIndex((_, index) => page[index] !== file[index]);
  const part = (line: string) => JSON.stringify(line.slice(Math.max(0, at - 80), at + 40));
  expect.fail(`a page has ${part(page)}, a file ${part(file)}`);
};

describe('rows that Node.js renders', () => {
  let api: TestQueryApi;
  let token: string;
  const linesOf = async (path: string, query: Readonly<Record<string, string>>) => {
    const answer = await api.get(
      `${path}?${new URLSearchParams({ ...query, format: 'ndjson' }).toString()}`,
      bearer(token),
    );
    const text = await answer.text();
    expect(answer.status, text).equal(200);
    return { lines: text.split('\n').slice(0, -1), next: answer.headers.get('x-next-after') };
  };
  const pageLines = async (path: string, query: Readonly<Record<string, string>>) => {
    const lines: string[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof linesOf>> = await linesOf(path, {
        ...query,
        limit: '5000',
        ...(after !== null && { after }),
      });
      lines.push(...page.lines);
      after = page.next;
    } while (after !== null);
    return lines;
  };

  before(async () => {
    api = await startTestQueryApi();
    await registerAll(api);
    const numbers = Array.from({ length: rowCount }, (_, index) => index + 1);
    await api.insert(coffee, numbers.map(randomPlay));
    await api.insert(watcherSummary, numbers.map(randomWatcher));
    ({ token } = await api.client(network));
  });
  after(() => api.close());

  for (const name of ['coffee', 'watcher-summary'])
    it(`of ${name} equal those that ClickHouse renders, byte for byte`, async () => {
      let compared = 0;
      for (let fromMs = firstMs; fromMs < lastMs; fromMs += maxWindowDays * dayMs) {
        const toMs = Math.min(lastMs, fromMs + maxWindowDays * dayMs);
        const window = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
        const [pages, file] = [
          await pageLines(`/api/v1/${name}`, window),
          (await linesOf(`/api/v1/${name}/download`, window)).lines,
        ];
        const at = file.findIndex((line, index) => pages[index] !== line);
        if (at >= 0) expectSame(pages[at] ?? '', file[at]!);
        expect(pages).length(file.length);
        compared += file.length;
      }
      expect(compared).equal(rowCount);
    });
});
