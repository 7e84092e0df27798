import { coffee, playSpans } from '@popsvc/read-models/tables';
import { findDefinitionDamage, findTableDrift, type StoredTable } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';

const settings = 'fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000';
const factsWith = (engine: string): StoredTable => ({
  engine: `${engine} PARTITION BY toYYYYMM(ts) ORDER BY (network_id, ts, number) SETTINGS ${settings}`,
  sortingKey: coffee.orderBy.join(', '),
  columns: new Map(Object.entries(coffee.fields).map(([name, { type }]) => [name, type])),
  materialized: new Map(Object.entries(coffee.materialized).map(([name, { expression }]) => [name, expression])),
});
const { version, deleted } = coffee.replacing;
const engines = [
  `ReplacingMergeTree(${version}, ${deleted})`,
  `ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', ${version}, ${deleted})`,
  `SharedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', ${version}, ${deleted})`,
];

describe('findTableDrift', () => {
  for (const engine of engines)
    it(`accepts ${engine.split('(')[0]}`, () =>
      expect(findTableDrift(coffee, factsWith(engine), {})).to.deep.equal([]));

  it('accepts an engine without arguments', () => {
    const { fields, orderBy } = playSpans;
    const columns = new Map(Object.entries(fields).map(([name, { type }]) => [name, type]));
    for (const engine of ['ReplacingMergeTree', `ReplicatedReplacingMergeTree('/tables/one', '{replica}')`])
      expect(
        findTableDrift(playSpans, { ...factsWith(engine), sortingKey: orderBy.join(', '), columns }, {}),
      ).to.deep.equal([]);
  });

  it('reports another engine or other arguments', () => {
    for (const [engine, reported] of [
      ['MergeTree', 'MergeTree'],
      [`ReplacingMergeTree(${version})`, `ReplacingMergeTree(${version})`],
      [`ReplacingMergeTree(pos, ${deleted})`, `ReplacingMergeTree(pos, ${deleted})`],
      [`SummingMergeTree(${version}, ${deleted})`, `SummingMergeTree(${version}, ${deleted})`],
    ] as const)
      expect(findTableDrift(coffee, factsWith(engine), {})).to.deep.equal([
        `engine is ${reported}, should be ${engines[0]}`,
      ]);
  });

  it('reports a table of a cluster that is not replicated, or has the settings of a single server', () => {
    const layout = { cluster: 'main' };
    expect(findTableDrift(coffee, factsWith(engines[0]!), layout)).to.deep.equal([
      'engine is ReplacingMergeTree, which is not replicated',
    ]);
    expect(findTableDrift(coffee, factsWith(engines[1]!), layout)).to.deep.equal([
      'setting replicated_deduplication_window is not set, should be 1000',
      'setting min_compressed_bytes_to_fsync_after_fetch is not set, should be 1',
      'setting replicated_max_ratio_of_wrong_parts is not set, should be 1',
      'setting max_suspicious_broken_parts_bytes is not set, should be 1000000000000000',
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
