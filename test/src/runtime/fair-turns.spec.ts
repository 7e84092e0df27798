import { createFairTurns, type EndTurn } from '@popsvc/platform/runtime';
import { expect } from 'chai';

describe('fair turns', () => {
  /** Takes turns, and records the holders in the order in which their turns began. */
  const turnsOf = (maxRunning: number) => {
    const turns = createFairTurns<string>(maxRunning);
    const [began, ends]: [string[], EndTurn[]] = [[], []];
    const take = async (holder: string, signal?: AbortSignal) => {
      const end = await turns.take(holder, signal);
      began.push(holder);
      ends.push(end);
    };
    return { take, began, ends };
  };
  /** Lets promises that were resolved run their callbacks. */
  const settle = () => new Promise(setImmediate);

  it('go round robin over holders, whatever number of calls each has', async () => {
    const { take, began, ends } = turnsOf(1);
    const all = Promise.all(['a', 'a', 'a', 'a', 'b', 'a', 'c', 'b'].map((holder) => take(holder)));
    for (let turn = 0; turn < 8; turn += 1) {
      await settle();
      ends[turn]!();
    }
    await all;
    expect(began.join(' ')).to.equal('a a b c a b a a');
  });

  it('prefer holders with the fewest running turns', async () => {
    const { take, began, ends } = turnsOf(2);
    const all = Promise.all(['a', 'a', 'a', 'a', 'b', 'c'].map((holder) => take(holder)));
    await settle();
    expect(began.join(' ')).to.equal('a a');
    for (let turn = 0; turn < 4; turn += 1) {
      ends[turn]!();
      await settle();
    }
    await all;
    expect(began.join(' ')).to.equal('a a b a c a');
  });

  it('run at most the given number at a time, and end once', async () => {
    const { take, began, ends } = turnsOf(2);
    const all = Promise.all(['a', 'a', 'a', 'b'].map((holder) => take(holder)));
    await settle();
    expect(began).to.have.length(2);
    ends[0]!();
    ends[0]!();
    await settle();
    expect(began).to.have.length(3);
    ends[1]!();
    await all;
  });

  it('skip calls whose signal aborted', async () => {
    const { take, began, ends } = turnsOf(1);
    await take('a');
    const leaving = new AbortController();
    const left = [take('b', leaving.signal), take('b', AbortSignal.abort(new Error('aborted before')))];
    const staying = take('c');
    leaving.abort(new Error('left'));
    const reasons = await Promise.all(left.map((each) => each.catch(String)));
    expect(reasons).to.deep.equal(['Error: left', 'Error: aborted before']);
    ends[0]!();
    await staying;
    ends[1]!();
    await take('b');
    expect(began.join(' ')).to.equal('a c b');
  });
});
