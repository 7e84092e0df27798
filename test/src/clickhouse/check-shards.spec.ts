import { listShards } from '@popsvc/domain/partitioning';
import { ApiError } from '@popsvc/contracts/errors';
import { WrongShardError } from '@popsvc/platform/clickhouse';
import { degraded, NotReadyError } from '@popsvc/platform/runtime';
import { checkShards } from '@popsvc/read-models/generations';
import { expect } from 'chai';

const shards = listShards(3).map((shard) => ({ shard }));

describe('the readiness check of all shards', () => {
  /** Runs a check that rejects with the failure of a shard, or resolves with its result. */
  const check = (outcomes: readonly unknown[]) =>
    checkShards(shards, ({ shard: { index } }) => {
      const outcome = outcomes[index];
      return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
    });
  const caught = (checked: Promise<unknown>) =>
    checked.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('passes if all shards pass', async () => {
    expect(await check([undefined, undefined, undefined])).to.equal(undefined);
  });

  it('is degraded if one shard is', async () => {
    const result = degraded('damaged and being rebuilt: coffee');
    expect(await check([undefined, result, undefined])).to.equal(result);
  });

  it('is degraded with the names of the shards that fail', async () => {
    expect(await check([new Error('one'), undefined, new Error('two')])).to.deep.equal(
      degraded('shard 1 of 3: Error: one; shard 3 of 3: Error: two'),
    );
  });

  it('is degraded while a shard does not respond', async () => {
    const checked = checkShards(shards, ({ shard: { index } }) =>
      index === 1 ? new Promise(() => undefined) : Promise.resolve(),
    );
    expect(JSON.stringify(await checked)).to.match(
      /shard 2 of 3: DeadlineExceeded: the check of the shard took longer/,
    );
  });

  it('fails with the first failure if all shards fail', async () => {
    const first = new Error('one');
    expect(await caught(check([first, new Error('two'), new Error('three')]))).to.equal(first);
  });

  it('explains a wrong shard, also behind an error for callers', async () => {
    const wrong = new WrongShardError('database a is shard 2 of 3');
    const unavailable = new ApiError('UNAVAILABLE', undefined, { cause: wrong });
    expect(await check([unavailable, undefined, undefined])).to.deep.equal(
      degraded('shard 1 of 3: database a is shard 2 of 3'),
    );
    expect(await caught(check([unavailable, new Error('two'), new Error('three')])))
      .to.be.instanceOf(NotReadyError)
      .with.property('message', wrong.message);
  });
});
