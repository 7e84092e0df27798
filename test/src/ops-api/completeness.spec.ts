import { instantOf } from '@popsvc/contracts/time';
import { expect } from 'chai';
import sinon from 'sinon';
import type { Popsvc } from '@popsvc/tools/rig';
import { popsvcFor } from '../cli/popsvc.fixture.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { writeFacts } from './completeness.fixture.ts';

interface Completeness {
  readonly from: string;
  readonly to: string;
  readonly hours: number;
  readonly screens: readonly (Readonly<Record<string, unknown>> & {
    readonly screen_id: string;
    readonly cells: string;
  })[];
  readonly count: number;
  readonly next_after: string | null;
  readonly totals: Readonly<Record<string, number>>;
}

const hourMs = 3_600_000;
const minuteMs = 60_000;

const registry = {
  networks: [
    { id: 1, name: 'One', timezone: 'UTC' },
    { id: 2, name: 'Empty', timezone: 'UTC' },
    { id: 3, name: 'Late', timezone: 'UTC' },
  ],
  sites: [
    { id: 10, name: 'Quay', network: 1, timezone: 'UTC' },
    { id: 11, name: 'Lock', network: 1, timezone: 'UTC' },
    { id: 30, name: 'Pier', network: 3, timezone: 'UTC' },
  ],
  locations: [
    { id: 100, name: 'Hall', site: 10 },
    { id: 110, name: 'Gate', site: 11 },
    { id: 300, name: 'Deck', site: 30 },
  ],
  devices: [
    { id: 4, name: 'Wall', location: 100, screen_ids: ['w-1', 'w-2'] },
    { id: 5, name: 'Gate', location: 110, screen_ids: ['g-1'] },
    { id: 6, name: 'Lent', location: 110, screen_ids: ['lent'] },
  ],
};

describe('GET /ops/v1/completeness', function () {
  let system: TestServices;
  let popsvc: Popsvc;
  let clock: sinon.SinonFakeTimers;
  /** The start of the hour six hours ago. */
  let startMs = 0;
  const at = (hours: number, minutes = 0) => startMs + hours * hourMs + minutes * minuteMs;

  before(async () => {
    system = await startTestServices();
    popsvc = popsvcFor({ baseUrl: system.opsUrl });
    const thisHourMs = Math.floor(Date.now() / hourMs) * hourMs;
    // Sets the clock to the middle of the hour, so that no hour begins during the tests.
    clock = sinon.useFakeTimers({ now: thisHourMs + hourMs / 2, toFake: ['Date'], shouldAdvanceTime: true });
    startMs = thisHourMs - 6 * hourMs;
    await system.register(registry);
    await system.register({
      devices: [
        { id: 30, name: 'Then', location: 300, screen_ids: ['then'], effective_from: instantOf(at(4)) },
        { id: 31, name: 'Later', location: 300, screen_ids: ['later'], effective_from: instantOf(at(40)) },
      ],
    });
    await system.heartbeat({ deviceId: 5, at: instantOf(Date.now()) }, { receivedAt: instantOf(Date.now()) });
    await system.play({ screenId: 'w-2', playedAt: instantOf(at(2, 59)) });
    await system.project();
    const heartbeat = (device: number, atMs: number, lateMs = 0) => ({
      device,
      at: atMs,
      receivedMs: atMs + lateMs,
      app: true,
    });
    await writeFacts(system.writer, [
      {
        network: 1,
        heartbeats: [
          heartbeat(4, at(0, 59)),
          heartbeat(4, at(1)),
          heartbeat(5, at(1, 30), 2 * hourMs),
          heartbeat(5, at(3, 30), 2 * hourMs),
        ],
        plays: [
          {
            screen: 'w-1',
            device: 4,
            at: at(1, 10),
            durationMs: 10_000,
            recordedMs: [at(1, 11)],
            isDeleted: false,
          },
        ],
        outages: [{ device: 5, from: at(1), to: at(3) }],
      },
    ]);
  });
  after(() => {
    clock.restore();
    return system.close();
  });

  const request = (query = '', token = operatorToken) =>
    fetch(`${system.opsUrl}/ops/v1/completeness${query}`, { headers: { authorization: `Bearer ${token}` } });
  const read = async (query: string) => (await (await request(query)).json()) as Completeness;
  const cells = ({ screens }: Completeness) =>
    Object.fromEntries(screens.map((screen) => [screen.screen_id, screen.cells]));
  const window = () => `network=1&from=${instantOf(at(0))}&to=${instantOf(at(8))}`;

  it('finds in the index of plays when they were recorded', async () => {
    const recorded = (table: string) =>
      system.writer.rows(`SELECT DISTINCT recorded_at FROM ${table} WHERE screen_id = 'w-2'`);
    expect(await recorded('play_spans_g1'))
      .to.have.length(1)
      .and.deep.equal(await recorded('plays_g1'));
  });

  it('returns a letter for each screen and hour', async () => {
    const completeness = await read(`?${window()}`);
    // The screens are registered in the current hour; the next hour has not begun.
    expect(cells(completeness)).to.deep.equal({
      'g-1': '-b-s--se',
      lent: '------oe',
      'w-1': 'sp----oe',
      'w-2': 'ssp---oe',
    });
    expect(completeness.screens[0]).to.deep.equal({
      screen_id: 'g-1',
      device_id: 5,
      device_name: 'Gate',
      site_id: 11,
      site_name: 'Lock',
      cells: '-b-s--se',
      expected_hours: 1,
      played_hours: 0,
      other_played_hours: 0,
    });
    expect({ ...completeness, screens: [] }).to.deep.equal({
      from: instantOf(at(0)),
      to: instantOf(at(8)),
      hours: 8,
      screens: [],
      count: 4,
      next_after: null,
      totals: { playing: 2, silent: 5, offline: 3, backfilled: 1, closed: 0, expected: 4, unknown: 17 },
      expected_hours: 4,
      played_hours: 0,
      other_played_hours: 2,
    });
  });

  it('starts a screen at its registration, or at an earlier effective time', async () => {
    const completeness = await read(`?${window().replace('network=1', 'network=3')}`);
    expect(cells(completeness)).to.deep.equal({ later: '------oe', then: '----oooe' });
  });

  it('returns whole hours, by default of the last two days', async () => {
    const standard = await read('?network=1');
    expect([standard.hours, Date.parse(standard.to)]).to.deep.equal([48, at(7)]);
    const cut = await read(`?network=1&from=${instantOf(at(1, 20))}&to=${instantOf(at(2, 1))}`);
    expect([cut.from, cut.to, cells(cut)['w-2']]).to.deep.equal([instantOf(at(1)), instantOf(at(3)), 'sp']);
    expect((await read(`?network=1&from=${instantOf(at(7) - 31 * 24 * hourMs)}`)).hours).to.equal(744);
  });

  it('filters by site and returns pages', async () => {
    expect(Object.keys(cells(await read(`?${window()}&site_id=11`)))).to.deep.equal(['g-1', 'lent']);
    expect((await read(`?${window()}&site_id=11&site_id=10`)).count).to.equal(4);
    const first = await read(`?${window()}&limit=3`);
    expect([first.count, first.next_after]).to.deep.equal([3, 'w-1']);
    const second = await read(`?${window()}&limit=3&after=w-1`);
    expect([Object.keys(cells(second)), second.next_after]).to.deep.equal([['w-2'], null]);
    expect((await read('?network=2')).screens).to.deep.equal([]);
  });

  it('prints a map on the command line', async () => {
    const options = ['--network', '1', '--from', instantOf(at(0)), '--to', instantOf(at(8))];
    const { code, stdout, stderr } = await popsvc('completeness', ...options, '--json');
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal(await read(`?${window()}`));
    const people = await popsvc('completeness', ...options, '--limit', '3');
    const lines = people.stdout.trimEnd().split('\n');
    expect(lines[0]).to.match(/^SCREEN {2}DEVICE {2}SITE {2} *\d\d-\d\d/);
    expect(lines[1]?.replaceAll(' ', '')).to.equal('g-1GateLock-b-s--se');
    expect(lines.slice(-2)).to.deep.equal([
      'p playing 1   s silent 3   o offline 2   b backfilled 1   c closed 0   e expected 3   - unknown 14   (hours, UTC)',
      'plays in 0 of the 3 opening hours that have begun',
    ]);
    expect(people.stderr).to.include('--after w-1');
    // One hour of the first day, and two of the second: only the date of the second fits.
    const midnight = Math.floor(at(8) / 86_400_000) * 86_400_000;
    const around = [
      '--network',
      '1',
      '--from',
      instantOf(midnight - 3_600_000),
      '--to',
      instantOf(midnight + 7_200_000),
    ];
    const [head = '', map = ''] = (await popsvc('completeness', ...around)).stdout.split('\n');
    expect(head.slice(map.search(/\S \S\S$/) + 2)).to.equal(instantOf(midnight).slice(5, 10));
    expect((await popsvc('completeness', '--network', '2')).stdout).to.equal('There are no such screens.\n');
    const unknown = await popsvc('completeness', '--network', '7');
    expect([unknown.code, unknown.stdout, unknown.stderr]).to.deep.equal([
      1,
      '',
      'popsvc: there is no network 7 in the registry\n',
    ]);
    expect((await popsvc('completeness')).code).to.equal(2);
  });

  it('rejects invalid parameters', async () => {
    const late = instantOf(at(9));
    for (const query of [
      '',
      '?network=7',
      '?network=x',
      '?network=1&limit=0',
      '?network=1&site=4',
      `?network=1&from=${late}&to=${instantOf(at(1))}`,
      `?network=1&from=${instantOf(at(7) - 31 * 24 * hourMs - 1)}&to=${instantOf(at(7))}`,
      '?network=1&from=yesterday',
    ])
      expect((await request(query)).status, query).to.equal(400);
    expect((await request('?network=1', 'nonsense')).status).to.equal(401);
  });
});
