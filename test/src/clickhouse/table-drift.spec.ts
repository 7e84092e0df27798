import { coffee, progress } from '@popsvc/read-models/tables';
import { findDefinitionDamage, findTableDrift, type StoredTable } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';

const settings = 'fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000';
const factsWith = (engine: string): StoredTable => ({
  engine: `${engine} PARTITION BY toYYYYMM(ts) ORDER BY (network_id, ts, number) SETTINGS ${settings}`,
  sortingKey: coffee.orderBy.join(', '),
  columns: new Map(Object.entries(coffee.fields).map(([name, { type }]) => [name, type])),
});
const { version, deleted } = coffee.replacing;
const engines = [
  `ReplacingMergeTree(${version}, ${deleted})`,
  `ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', ${version}, ${deleted})`,
  `SharedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', ${version}, ${deleted})`,
];

describe('findTableDrift', () => {
  for (const engine of engines)
    it(`accepts ${engine.split('(')[0]}`, () => expect(findTableDrift(coffee, factsWith(engine))).to.deep.equal([]));

  it('accepts an engine without arguments', () => {
    const { fields, orderBy } = progress;
    const columns = new Map(Object.entries(fields).map(([name, { type }]) => [name, type]));
    for (const engine of ['ReplacingMergeTree', `ReplicatedReplacingMergeTree('/tables/one', '{replica}')`])
      expect(findTableDrift(progress, { ...factsWith(engine), sortingKey: orderBy.join(', '), columns })).to.deep.equal(
        [],
      );
  });

  it('reports another engine or other arguments', () => {
    for (const [engine, reported] of [
      ['MergeTree', 'MergeTree'],
      [`ReplacingMergeTree(${version})`, `ReplacingMergeTree(${version})`],
      [`ReplacingMergeTree(pos, ${deleted})`, `ReplacingMergeTree(pos, ${deleted})`],
      [`SummingMergeTree(${version}, ${deleted})`, `SummingMergeTree(${version}, ${deleted})`],
    ] as const)
      expect(findTableDrift(coffee, factsWith(engine))).to.deep.equal([
        `engine is ${reported}, should be ${engines[0]}`,
      ]);
  });
});

describe('findDefinitionDamage', () => {
  const stored = factsWith(engines[0]!);
  const withColumns = (change: (columns: Map<string, string>) => void): StoredTable => {
    const columns = new Map(stored.columns);
    change(columns);
    return { ...stored, columns };
  };

  it('accepts columns that a later release adds, and those of an operator', () => {
    const missing = withColumns((columns) => columns.delete('event_id'));
    const additional = withColumns((columns) => columns.set('note', 'String'));
    for (const found of [stored, missing, additional]) expect(findDefinitionDamage(coffee, found)).to.deep.equal([]);
  });

  it('reports a column with another name or type, another key and another engine', () => {
    const renamed = withColumns((columns) => columns.delete('event_id') && columns.set('other_id', 'String'));
    expect(findDefinitionDamage(coffee, renamed)).to.deep.equal(['column event_id is missing']);
    const retyped = withColumns((columns) => columns.set('number', 'Int32'));
    expect(findDefinitionDamage(coffee, retyped)[0]).to.match(/^column number is Int32, should be /);
    expect(findDefinitionDamage(coffee, { ...stored, sortingKey: 'network_id' })).to.have.length(1);
    expect(findDefinitionDamage(coffee, { ...stored, engine: '' })[0]).to.match(/^engine is /);
  });
});
