import { MappingRegistered } from '@popsvc/contracts/events';
import { Mapping, pathSteps } from '@popsvc/contracts/mappings';
import { compileMapping } from '@popsvc/domain/mappings';
import { expect } from 'chai';

// cspell:ignore isoo playedat
describe('pathSteps', () => {
  for (const [path, steps] of [
    ['a', ['a']],
    ['a.b[0]', ['a', 'b', 0]],
    ['$.a.b', ['a', 'b']],
    ['$[2].x', [2, 'x']],
    ['$', ['$']],
    ['["odd.key"].b', ['odd.key', 'b']],
    [`a['it"s']`, ['a', 'it"s']],
    ['Start Time', ['Start Time']],
    ['__proto__', ['__proto__']],
    ['matrix[1][20]', ['matrix', 1, 20]],
  ] as const)
    it(`parses ${path}`, () => {
      expect(pathSteps(path)).to.deep.equal(steps);
    });

  for (const path of [
    '',
    '.a',
    'a.',
    'a..b',
    'a[',
    'a[]',
    'a[-1]',
    'a[x]',
    'a["x]',
    'a[0]b',
    'a.[0]',
    'a"b',
    '$.',
    'a[1234567]',
  ])
    it(`rejects ${JSON.stringify(path)}`, () => {
      expect(pathSteps(path)).to.equal(undefined);
    });
});

describe('Mapping', () => {
  const fields = {
    screenId: { path: 'screen' },
    campaignId: { path: 'campaign' },
    creativeId: { path: 'asset' },
    playedAt: { path: 'start' },
    duration: { path: 'length', unit: 's' },
  };
  const mapping = { vendor: 'acme', schema_version: '1', fields };
  const issuesOf = (changed: object, others: object = {}): string[] => {
    const read = Mapping.safeParse({ ...mapping, ...others, fields: { ...fields, ...changed } });
    return read.success ? [] : read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  };

  it('accepts every documented time format and zone', () => {
    expect(issuesOf({})).to.deep.equal([]);
    for (const time of [
      'iso',
      'unix_s',
      'unix_ms',
      'yyyy-MM-dd HH:mm:ss',
      'd/M/yy h:mm a',
      'yyyy-MM-ddTHH:mm:ss.SSSZZ',
    ])
      expect(issuesOf({ playedAt: { path: 'start', time, zone: 'device' } }), time).to.deep.equal([]);
    for (const zone of ['utc', 'device', 'Europe/London', 'UTC'])
      expect(issuesOf({ playedAt: { path: 'start', zone, offset_path: 'off' } }), zone).to.deep.equal([]);
  });

  for (const [what, changed, message] of [
    [
      'a path and a constant',
      { screenId: { path: 'a', const: 'b' } },
      'fields.screenId must have either path or const',
    ],
    ['neither path nor constant', { screenId: {} }, 'fields.screenId must have either path or const'],
    [
      'a constant with a map',
      { screenId: { const: 'b', map: {} } },
      'fields.screenId const cannot be combined with default, map, when_present or when_absent',
    ],
    [
      'default and when_absent together',
      { screenId: { path: 'a', default: 'b', when_absent: 'c' } },
      'fields.screenId default and when_absent are equivalent: give only one',
    ],
    ['an invalid path', { screenId: { path: 'a[' } }, 'fields.screenId.path must be a path like a.b[0] or ["odd key"]'],
    ['one time only', { duration: undefined }, 'fields must contain two of playedAt, endedAt and duration'],
    [
      'an offset for a unix time',
      { playedAt: { path: 'a', time: 'unix_s', offset_path: 'b' } },
      'fields.playedAt a unix time has no offset',
    ],
  ] as const)
    it(`rejects ${what}`, () => {
      expect(issuesOf(changed)).to.deep.equal([message]);
    });

  for (const time of [
    'yyyy-MM-dd',
    'HH:mm',
    'yyyy-MM-dd hh:mm',
    'yyyy-MM-dd HH:mm a',
    'YYYY-MM-DD HH:mm',
    'yyyy yyyy-MM-dd HH:mm',
    'isoo',
  ])
    it(`rejects the time pattern ${time}`, () => {
      expect(issuesOf({ playedAt: { path: 'a', time } })).to.have.length(1);
    });

  it('rejects an unknown zone, an unknown field, a duplicate column and an invalid vendor code', () => {
    expect(issuesOf({ playedAt: { path: 'a', zone: 'Europe/Atlantis' } })).to.have.length(1);
    expect(issuesOf({ playedat: { path: 'a' } })).to.have.length(1);
    expect(issuesOf({}, { columns: ['a', 'b', 'a'] })).to.deep.equal(['columns must not name a column twice']);
    expect(issuesOf({}, { vendor: 'Acme' })).to.deep.equal([
      'vendor must be 2 to 32 lower-case letters and digits, a letter first',
    ]);
  });

  it('rejects a blank constant', () => {
    expect(issuesOf({ campaignId: { const: ' ' } })).to.deep.equal(['fields.campaignId const must not be blank']);
  });

  it('is read from the log even if it would be rejected now', () => {
    const old = { ...mapping, fields: { ...fields, playedAt: { path: 'start', zone: 'Mars/Olympus' } } };
    expect(issuesOf(old.fields)).to.have.length(1);
    const read = MappingRegistered.read({ network: 1, version: 1, mapping: old }, 1);
    expect(read.mapping).to.deep.equal(old);
    const event = { screen: 's', campaign: 'c', asset: 'a', start: '2026-08-20T14:00:00', length: 10 };
    const mapped = compileMapping(read.mapping)(event, { receivedAtMs: Date.now(), zoneOf: () => undefined });
    expect(mapped).to.have.nested.property('unfit.code');
  });
});
