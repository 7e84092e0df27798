import { setTimeout as sleep } from 'node:timers/promises';
import { type ReleasePermit, createQueryLimiter } from '@popsvc/embedded/clickhouse';
import { expect } from 'chai';

describe('turns of analysts', () => {
  const stays = new AbortController().signal;

  /** Takes turns and notes who began; `ends` ends the newest that has begun. */
  const asking = (most: number, patienceMs = 5_000) => {
    const queue = createQueryLimiter({ maxRunning: most, queueTimeoutMs: patienceMs });
    const [began, ends]: [string[], ReleasePermit[]] = [[], []];
    const ask = async (who: string, signal = stays) => {
      const end = await queue.acquire(who, signal);
      if (!end) return false;
      began.push(who);
      ends.push(end);
      return true;
    };
    return { ask, began, ends };
  };

  it('are so many at a time, and go first to those of whom the fewest run', async () => {
    const { ask, began, ends } = asking(2);
    const all = [...['anna', 'anna', 'anna', 'anna', 'bert', 'carl'].map((who) => ask(who))];
    await sleep(1);
    expect(began).to.deep.equal(['anna', 'anna']);
    for (let count = 3; count <= 6; count += 1) {
      ends.shift()!();
      await sleep(1);
      expect(began).to.have.length(count);
    }
    expect(began.slice(2)).to.deep.equal(['bert', 'anna', 'carl', 'anna']);
    expect(await Promise.all(all)).to.not.include(false);
  });

  it('are given back once, however often that is told', async () => {
    const { ask, began, ends } = asking(1);
    const all = ['anna', 'bert', 'carl'].map((who) => ask(who));
    await sleep(1);
    const [first] = ends;
    first!();
    first!();
    await sleep(1);
    expect(began).to.deep.equal(['anna', 'bert']);
    ends[1]!();
    expect(await Promise.all(all)).to.deep.equal([true, true, true]);
  });

  it('do not come to who left or waited too long, and others go on', async () => {
    const { ask, began, ends } = asking(1, 40);
    await ask('anna');
    const leaving = new AbortController();
    const left = ask('bert', leaving.signal);
    const late = ask('carl');
    leaving.abort();
    expect(await left).to.equal(false);
    expect(await late).to.equal(false);
    ends[0]!();
    expect(await ask('dora')).to.equal(true);
    expect(began).to.deep.equal(['anna', 'dora']);
    const gone = AbortSignal.abort();
    expect(await ask('eve', gone)).to.equal(false);
  });
});
