import { expect } from 'chai';
import { expectRefused } from './refusals.ts';
import { bearer, openWorld, type World } from './world.ts';

const [from, to] = ['2026-08-01T00:00:00Z', '2026-08-02T00:00:00Z'];
const [pages, downloads] = [
  ['/api/v1/coffee', '/api/v1/watcher-summary'],
  ['/api/v1/coffee/download', '/api/v1/watcher-summary/download'],
];
const [coffees, watchers] = [
  ['/api/v1/coffee', '/api/v1/coffee/download'],
  ['/api/v1/watcher-summary', '/api/v1/watcher-summary/download'],
];
const all = [...pages, ...downloads];

/** Query parts that replace or join a good window. */
type Parts = readonly (readonly [name: string, value: string])[];
const query = (parts: Parts): string => {
  const window = [
    ['from', from],
    ['to', to],
  ] as const;
  const named = new Set(parts.map(([name]) => name));
  const kept = window.filter(([name]) => !named.has(name));
  return new URLSearchParams([...kept, ...parts].map(([name, value]): [string, string] => [name, value])).toString();
};

const refused: readonly { about: string; at: readonly string[]; parts: Parts; names: readonly string[] }[] = [
  ...['from', 'to'].flatMap((name) =>
    [
      '',
      'yesterday',
      '2026-02-30T00:00:00Z',
      '2026-02-30',
      '2026-13-01T00:00:00Z',
      '2026-08-01T24:00:00Z',
      '2026-08-01T00:00:60Z',
      '2026-08-01T00:00:00',
      '2026-08-01 00:00:00Z',
      '2026-08-01T00:00:00.0123456789Z',
      '2026-08-01T00:00:00+19:00',
      '20260801T000000Z',
      '2026-8-1',
      '1785542400000',
    ].map((value) => ({ about: `${name}=${value}`, at: all, parts: [[name, value]] as Parts, names: [name] })),
  ),
  {
    about: 'from twice',
    at: all,
    parts: [
      ['from', from],
      ['from', from],
    ],
    names: ['from'],
  },
  {
    about: 'to twice',
    at: all,
    parts: [
      ['to', to],
      ['to', to],
    ],
    names: ['to'],
  },
  { about: 'a date alone as from', at: watchers, parts: [['from', '2026-08-01']], names: ['from'] },
  { about: 'a date alone as to', at: watchers, parts: [['to', '2026-08-02']], names: ['to'] },
  { about: 'from at to', at: all, parts: [['to', from]], names: ['from'] },
  {
    about: 'from after to',
    at: all,
    parts: [
      ['from', to],
      ['to', from],
    ],
    names: ['from'],
  },
  { about: '31 days and a millisecond', at: all, parts: [['to', '2026-09-01T00:00:00.001Z']], names: ['to'] },
  { about: '31 days and a nanosecond', at: all, parts: [['to', '2026-09-01T00:00:00.000000001Z']], names: ['to'] },
  {
    about: '32 dates',
    at: coffees,
    parts: [
      ['from', '2026-08-01'],
      ['to', '2026-09-02'],
    ],
    names: ['to'],
  },
  ...['0', '5001', '-1', '1e3', '+5', ' 5', '5 ', '1.0', '0x10', '05', '', 'ten', '99999999999999999999'].map(
    (limit) => ({
      about: `limit=${limit}`,
      at: all,
      parts: [['limit', limit]] as Parts,
      names: ['limit'],
    }),
  ),
  {
    about: 'limit twice',
    at: all,
    parts: [
      ['limit', '5'],
      ['limit', '5'],
    ],
    names: ['limit'],
  },
  ...['-1', '1e3', '+5', ' 5', '1.0', '', 'ten', '99999999999999999999'].map((offset) => ({
    about: `offset=${offset}`,
    at: all,
    parts: [['offset', offset]] as Parts,
    names: ['offset'],
  })),
  {
    about: 'offset twice',
    at: all,
    parts: [
      ['offset', '5'],
      ['offset', '5'],
    ],
    names: ['offset'],
  },
  {
    about: 'a wrong offset beside after',
    at: pages,
    parts: [
      ['after', from],
      ['offset', '-1'],
    ],
    names: ['offset'],
  },
  ...['0', '-1', '1,2', '1.5', 'abc', '', '99999999999999999999', '%31'].map((site) => ({
    about: `site_id=${site}`,
    at: all,
    parts: [['site_id', site]] as Parts,
    names: ['site_id'],
  })),
  {
    about: 'one wrong site_id of two',
    at: all,
    parts: [
      ['site_id', '1'],
      ['site_id', 'x'],
    ],
    names: ['site_id'],
  },
  { about: 'site_id[]', at: all, parts: [['site_id[]', '1']], names: ['site_id[]'] },
  ...['ASC', 'up', '', 'asc,desc'].map((sort) => ({
    about: `sort=${sort}`,
    at: pages,
    parts: [['sort', sort]] as Parts,
    names: ['sort'],
  })),
  {
    about: 'sort twice',
    at: pages,
    parts: [
      ['sort', 'asc'],
      ['sort', 'desc'],
    ],
    names: ['sort'],
  },
  ...[
    '',
    'x',
    '2026-08-01',
    '2026-08-01T00:00:00',
    '2026-02-30T00:00:00Z',
    ...[10, 11, 15, 18, 20, 30].map((digits) => `2026-08-01T00:00:00.${'0'.repeat(digits)}Z`),
    `2026-08-01T25:00:00.${'0'.repeat(19)}Z`,
  ].map((after) => ({ about: `after=${after}`, at: pages, parts: [['after', after]] as Parts, names: ['after'] })),
  {
    about: 'after twice',
    at: pages,
    parts: [
      ['after', from],
      ['after', from],
    ],
    names: ['after'],
  },
  { about: 'after on a download', at: downloads, parts: [['after', from]], names: ['after'] },
  { about: 'sort on a download', at: downloads, parts: [['sort', 'asc']], names: ['sort'] },
  { about: 'excel_safe on a page', at: pages, parts: [['excel_safe', 'true']], names: ['excel_safe'] },
  ...['1', 'TRUE', '', 'yes'].map((value) => ({
    about: `excel_safe=${value}`,
    at: downloads,
    parts: [['excel_safe', value]] as Parts,
    names: ['excel_safe'],
  })),
  { about: 'an unknown parameter', at: all, parts: [['siteid', '1']], names: ['siteid'] },
  { about: 'a name of JavaScript', at: all, parts: [['__proto__', '1']], names: ['__proto__'] },
  {
    about: 'several wrong ones',
    at: pages,
    parts: [
      ['limit', '0'],
      ['sort', 'x'],
      ['a', '1'],
    ],
    names: ['a', 'limit', 'sort'],
  },
];

const accepted: readonly { about: string; at: readonly string[]; parts: Parts }[] = [
  { about: '31 days exactly', at: all, parts: [['to', '2026-09-01T00:00:00Z']] },
  {
    about: '31 days exactly, with nanoseconds',
    at: all,
    parts: [
      ['from', '2026-08-01T00:00:00.000000001Z'],
      ['to', '2026-09-01T00:00:00.000000001Z'],
    ],
  },
  {
    about: '31 dates',
    at: coffees,
    parts: [
      ['from', '2026-08-01'],
      ['to', '2026-09-01'],
    ],
  },
  {
    about: 'offsets of zones',
    at: all,
    parts: [
      ['from', '2026-08-01T02:00:00+02:00'],
      ['to', '2026-08-01T20:00:00-0430'],
    ],
  },
  { about: 'a window of a nanosecond', at: all, parts: [['to', '2026-08-01T00:00:00.000000001Z']] },
  {
    about: 'the year 1',
    at: all,
    parts: [
      ['from', '0001-01-01T00:00:00Z'],
      ['to', '0001-01-02T00:00:00Z'],
    ],
  },
  {
    about: 'the year 9999',
    at: all,
    parts: [
      ['from', '9999-12-30T00:00:00Z'],
      ['to', '9999-12-31T23:59:59Z'],
    ],
  },
  ...['1', '5000'].map((limit) => ({ about: `limit=${limit}`, at: all, parts: [['limit', limit]] as Parts })),
  ...['0', '7', '9007199254740991'].map((offset) => ({
    about: `offset=${offset}`,
    at: all,
    parts: [['offset', offset]] as Parts,
  })),
  {
    about: 'sites, one of them twice',
    at: all,
    parts: [
      ['site_id', '11'],
      ['site_id', '12'],
      ['site_id', '11'],
    ],
  },
  ...['asc', 'desc'].map((sort) => ({ about: `sort=${sort}`, at: pages, parts: [['sort', sort]] as Parts })),
  ...[
    '2026-08-01T00:00Z',
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 19].map(
      (digits) => `2026-08-01T00:00:00${digits ? '.' : ''}${'9'.repeat(digits)}Z`,
    ),
  ].map((after) => ({
    about: `after=${after}`,
    at: pages,
    parts: [
      ['after', after],
      ['offset', '3'],
    ] as Parts,
  })),
  ...['true', 'false'].map((value) => ({
    about: `excel_safe=${value}`,
    at: downloads,
    parts: [['excel_safe', value]] as Parts,
  })),
];

describe('the parameters of reports', () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await openWorld();
    await world.register([{ id: 1, name: 'One', sites: [11, 12] }]);
    ({ token } = await world.client(1));
  });
  after(() => world.close());

  for (const { about, at, parts, names } of refused)
    it(`refuse ${about}`, async () => {
      for (const path of at)
        await expectRefused(await world.get(`${path}?${query(parts)}`, bearer(token)), 400, 'INVALID_PARAM', ...names);
    });

  for (const { about, at, parts } of accepted)
    it(`take ${about}`, async () => {
      for (const path of at) {
        const answer = await world.get(`${path}?${query(parts)}`, bearer(token));
        expect(answer.status, `${path} ${await answer.text()}`).equal(200);
      }
    });

  it('name both edges when none is given', async () => {
    for (const path of all)
      await expectRefused(await world.get(path, bearer(token)), 400, 'INVALID_PARAM', 'from', 'to');
  });

  it('say how a plus sign is written when it came as a space', async () => {
    const answer = await world.get(`/api/v1/coffee?from=2026-08-01T00:00:00+02:00&to=${to}`, bearer(token));
    expect((await expectRefused(answer, 400, 'INVALID_PARAM', 'from')).message).contains('%2B');
  });

  it('are none for metric-definitions', async () => {
    await expectRefused(
      await world.get('/api/v1/metric-definitions?site_id=1', bearer(token)),
      400,
      'INVALID_PARAM',
      'site_id',
    );
  });

  it('are looked at after the credential and before the scope', async () => {
    await expectRefused(await world.get('/api/v1/coffee', {}), 401, 'UNAUTHORIZED');
    const foreign = { ...bearer(token), 'x-network-name': 'Two' };
    await expectRefused(
      await world.get(`/api/v1/coffee?${query([['limit', '0']])}`, foreign),
      400,
      'INVALID_PARAM',
      'limit',
    );
    await expectRefused(await world.get(`/api/v1/coffee?${query([['limit', '1']])}`, foreign), 401, 'UNAUTHORIZED');
  });
});
