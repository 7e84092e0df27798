import { setTimeout as sleep } from 'node:timers/promises';
import { listShards, type Shard } from '@popsvc/domain/partitioning';
import { sql } from '@popsvc/platform/clickhouse';
import type { Principal } from '@popsvc/http-kit/auth';
import type { GenerationProgress } from '@popsvc/query-api/generations';
import { createScope } from '@popsvc/query-api/scope';
import { createRegistryReader, findInShards, groupByShard, type ReadRegistry } from '@popsvc/query-api/shards';
import { expect } from 'chai';

const never = new Promise<never>(() => undefined);
const failing = () => Promise.reject(new Error('away'));

describe('groupByShard', () => {
  const shardOf = (network: number) => `shard ${network % 3}`;

  it('groups networks by shard, in their order, beginning with the shard of the first', () => {
    expect(groupByShard(shardOf, [5, 3, 2, 9, 8])).to.deep.equal([
      { shard: 'shard 2', networks: [5, 2, 8] },
      { shard: 'shard 0', networks: [3, 9] },
    ]);
  });

  it('has one group for networks of the same shard, and none without networks', () => {
    expect(groupByShard(shardOf, [4, 1])).to.deep.equal([{ shard: 'shard 1', networks: [4, 1] }]);
    expect(groupByShard(shardOf, [])).to.deep.equal([]);
  });
});

describe('findInShards', () => {
  /** Searches shards that have this, in their order. */
  const find = (...shards: readonly (() => Promise<string | undefined>)[]) =>
    findInShards(
      shards.map((shard) => ({ shard, networks: [1] })),
      ({ shard }) => shard(),
    );
  const has = (value?: string) => () => Promise.resolve(value);

  it('finds what one shard has, while others fail or do not respond', async () => {
    expect(await find(has('it'))).to.equal('it');
    expect(await find(has(), has('it'))).to.equal('it');
    expect(await find(failing, has('it'))).to.equal('it');
    expect(await find(() => never, has('it'))).to.equal('it');
  });

  it('finds nothing only if all shards respond', async () => {
    expect(await find(has(), has())).to.equal(undefined);
    const error = await find(has(), failing).catch((caught: unknown) => caught);
    expect(String(error)).to.include('away');
  });
});

describe('createRegistryReader', () => {
  /** Reads the registry of shards whose queries respond as given. Records which shards were queried. */
  const createReader = (responses: readonly (() => Promise<unknown>)[]) => {
    const queried: number[] = [];
    const registry = { changedPosition: undefined as bigint | undefined };
    const readProgress = () =>
      Promise.resolve(
        registry.changedPosition === undefined
          ? undefined
          : ({ tablesId: 'tables', generation: 1, changedPosition: registry.changedPosition } as GenerationProgress),
      );
    const readerOf = ({ index }: Shard) => ({
      rows: (() => {
        queried.push(index);
        return responses[index]!();
      }) as <Row>() => Promise<Row[]>,
    });
    const read = createRegistryReader(
      listShards(responses.length).map((shard) => ({ shard, reader: readerOf(shard), readProgress })),
    );
    const readKey = (network: number, key = 'any', options = {}) =>
      read({ key, query: sql`SELECT 1`, ...options }, network);
    return { queried, registry, read: readKey };
  };
  const rowsOf = (shard: string) => () => Promise.resolve([shard]);

  it('reads the shard of the network only, as long as it responds', async () => {
    const { read, queried } = createReader([rowsOf('first'), rowsOf('second')]);
    expect(await read(4)).to.deep.equal(['first']);
    expect(await read(3)).to.deep.equal(['second']);
    expect(queried).to.deep.equal([0, 1]);
  });

  it('reads the next shard if one fails, and then prefers that', async () => {
    const { read, queried } = createReader([failing, rowsOf('second'), rowsOf('third')]);
    expect(await read(3)).to.deep.equal(['second']);
    expect(await read(3)).to.deep.equal(['second']);
    expect(queried).to.deep.equal([0, 1, 1]);
  });

  it('does not wait for a shard that does not respond', async () => {
    const { read } = createReader([() => never, rowsOf('second')]);
    expect(await read(2)).to.deep.equal(['second']);
  });

  it('keeps a result until the registry of its shard changes', async () => {
    const { read, queried, registry } = createReader([rowsOf('first'), rowsOf('second')]);
    registry.changedPosition = 7n;
    expect([await read(2), await read(2)]).to.deep.equal([['first'], ['first']]);
    expect(queried).to.deep.equal([0]);
    expect(await read(2, 'other')).to.deep.equal(['first']);
    expect(await read(3)).to.deep.equal(['second']);
    expect(queried).to.deep.equal([0, 0, 1]);
    registry.changedPosition = 8n;
    await read(2);
    expect(queried).to.deep.equal([0, 0, 1, 0]);
  });

  it('returns the rows that it read last, if the query fails in all shards and allows that', async () => {
    const responses = [rowsOf('first'), failing];
    const { read, registry } = createReader(responses);
    const readStale = (network: number, key = 'any') => read(network, key, { allowsStale: true });
    registry.changedPosition = 7n;
    await readStale(2);
    registry.changedPosition = 8n;
    responses[0] = failing;
    for (const network of [2, 3, 2]) expect(await readStale(network)).to.deep.equal(['first']);
    for (const refused of [read(2), readStale(2, 'other')])
      expect(String(await refused.catch((error: unknown) => error))).to.include('away');
    responses[1] = rowsOf('second');
    expect(await readStale(2)).to.deep.equal(['second']);
    registry.changedPosition = 9n;
    responses[1] = failing;
    expect(await readStale(2)).to.deep.equal(['second']);
  });

  it('keeps nothing while the progress of the registry is unknown', async () => {
    const { read, queried } = createReader([rowsOf('first')]);
    expect([await read(1), await read(1)]).to.deep.equal([['first'], ['first']]);
    expect(queried).to.deep.equal([0, 0]);
  });

  it('waits for the last shard, and throws its error', async () => {
    const slow = async () => {
      await sleep(50);
      return ['second'];
    };
    expect(await createReader([failing, slow]).read(2)).to.deep.equal(['second']);
    const error = await createReader([failing, failing])
      .read(2)
      .catch((caught: unknown) => caught);
    expect(String(error)).to.include('away');
  });
});

describe('the networks of a request', () => {
  it('contain those that only their own shard knows yet', async () => {
    const known = new Map([
      [11, [{ id: 11, name: 'Eleven' }]],
      [12, [{ id: 12, name: 'Twelve' }]],
    ]);
    const readRegistry = ((_: unknown, network: number) =>
      Promise.resolve(known.get(network) ?? [])) as unknown as ReadRegistry;
    const principal = { kind: 'client', clientId: 'any', networkIds: [11, 12, 13] } as unknown as Principal;
    const networks = await createScope(readRegistry).resolveNetworks({ principal, header: () => undefined });
    expect(networks).to.deep.equal([11, 12]);
  });
});
