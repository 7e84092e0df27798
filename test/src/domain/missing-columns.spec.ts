import type { Mapping } from '@popsvc/contracts/mappings';
import { findMissingColumns, mapEvent } from '@popsvc/domain/mappings';
import { expect } from 'chai';
import { inLondon, mappingWith } from './given-mapping.ts';

/** A row that the mappings below convert. */
const row: Readonly<Record<string, string>> = {
  id: 'p-1',
  screen: 's-1',
  campaign: 'c-1',
  asset: 'a-1',
  start: '2026-09-14T10:00:00',
  length: '10000',
  end: '2026-09-14T10:00:10',
  offset: '+01:00',
  site: 'x',
  'odd.name': 'y',
};

const mappings: Readonly<Record<string, Mapping>> = {
  'start and duration': mappingWith(),
  'start and end with an offset': mappingWith({
    playedAt: { path: 'start', offset_path: 'offset' },
    endedAt: { path: 'end', offset_path: 'offset' },
    duration: null,
  }),
  'all three times': mappingWith({ endedAt: { path: 'end', offset_path: 'offset' } }),
  'a default duration': mappingWith({ duration: { path: 'length', default: 5_000 } }),
  'a constant screen and further required columns': mappingWith(
    { screenId: { const: 's-1' }, siteId: { path: 'site' } },
    { required: ['["odd.name"]'] },
  ),
  'substitutes for ids': mappingWith({
    campaignId: { path: 'campaign', default: 'c-0' },
    creativeId: { path: 'asset', when_absent: 'a-0' },
  }),
};

const subsetsOf = (names: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_name, at) => ((bits >> at) & 1) === 1));

describe('findMissingColumns', () => {
  for (const [what, mapping] of Object.entries(mappings))
    it(`names a needed column exactly when rows without it cannot become plays: ${what}`, () => {
      for (const names of subsetsOf(Object.keys(row))) {
        const event = Object.fromEntries(names.map((name) => [name, row[name]!]));
        const isUnfit = 'unfit' in mapEvent(mapping, event, inLondon);
        const missing = findMissingColumns(mapping, names);
        expect(
          missing.some(({ isNeeded }) => isNeeded),
          `${names.join()}: ${JSON.stringify(missing)}`,
        ).to.equal(isUnfit);
      }
    });

  it('names where the mapping reads the columns', () => {
    const mapping = mappingWith(
      { siteId: { path: 'site' }, playedAt: { path: 'start', offset_path: 'offset' }, context: { path: 'context' } },
      { required: ['id', 'odd'] },
    );
    expect(findMissingColumns(mapping, ['screen', 'campaign', 'asset', 'start', 'length'])).to.deep.equal([
      { field: 'fields.eventId.path', column: 'id', isNeeded: false },
      { field: 'fields.siteId.path', column: 'site', isNeeded: false },
      { field: 'fields.playedAt.offset_path', column: 'offset', isNeeded: true },
      { field: 'fields.context.path', column: 'context', isNeeded: false },
      { field: 'required[0]', column: 'id', isNeeded: true },
      { field: 'required[1]', column: 'odd', isNeeded: true },
    ]);
  });

  it('finds no column for a path with several steps, because the values of a CSV file are text', () => {
    const mapping = mappingWith({ screenId: { path: 'frame.id' }, campaignId: { path: '["campaign.id"]' } });
    expect(
      findMissingColumns(mapping, ['id', 'frame', 'frame.id', 'campaign.id', 'asset', 'start', 'length']),
    ).to.deep.equal([{ field: 'fields.screenId.path', column: 'frame.id', isNeeded: true }]);
  });
});
