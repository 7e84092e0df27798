import { createTurns, type EndTurn } from '@popsvc/command-api/worker';
import { expect } from 'chai';

describe('turns of bulk jobs', () => {
  it('go round robin over networks, whatever number of jobs each has', async () => {
    const turns = createTurns(1);
    const served: number[] = [];
    const take = async (network: number) => {
      const end = await turns.take(network);
      served.push(network);
      await Promise.resolve();
      end();
    };
    await Promise.all([1, 1, 1, 1, 2, 1, 3, 2].map(take));
    expect(served).to.deep.equal([1, 1, 2, 3, 1, 2, 1, 1]);
  });

  it('run at most the given number at a time, and end once', async () => {
    const turns = createTurns(2);
    const ends: EndTurn[] = [];
    for (const network of [1, 1, 1]) void turns.take(network).then((end) => ends.push(end));
    await Promise.resolve();
    expect(ends).to.have.length(2);
    ends[0]!();
    ends[0]!();
    await new Promise(setImmediate);
    expect(ends).to.have.length(3);
    void turns.take(2).then((end) => ends.push(end));
    await new Promise(setImmediate);
    expect(ends).to.have.length(3);
    ends[1]!();
    await new Promise(setImmediate);
    expect(ends).to.have.length(4);
  });
});
