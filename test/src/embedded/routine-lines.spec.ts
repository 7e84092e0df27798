import { dropRoutineLines } from '@popsvc/embedded/start';
import { expect } from 'chai';

describe('what engines say at a start', () => {
  const heard = () => {
    const told: string[] = [];
    const hear = dropRoutineLines(({ text }) => void told.push(text));
    return { told, hear: (text: string) => hear({ name: 'postgres', from: 'stderr', text }) };
  };
  const stamp = '2026-11-21 10:00:00.000 UTC [7]';

  it('is told where somebody has to read it', () => {
    const { told, hear } = heard();
    hear(`${stamp} LOG:  database system is ready to accept connections`);
    hear(`${stamp} FATAL:  password authentication failed for user "popsvc"`);
    hear(`${stamp} PANIC:  could not write to file "pg_wal/xlogtemp.9": No space left on device`);
    expect(told).to.have.length(2);
    expect(told[0]).to.include('password authentication failed');
  });

  it('is one line of a recovery, however often somebody asks meanwhile, and none of an ordinary start', () => {
    const { told, hear } = heard();
    const ask = () => {
      for (const words of [
        'FATAL:  the database system is starting up',
        'FATAL:  the database system is not yet accepting connections',
        'DETAIL:  Consistent recovery state has not been yet reached.',
        'FATAL:  the database system is in recovery mode',
      ])
        hear(`${stamp} ${words}`);
    };
    ask();
    expect(told).to.deep.equal([]);
    hear(`${stamp} LOG:  database system was interrupted; last known up at 2026-11-21 09:59:00 UTC`);
    hear(`${stamp} LOG:  database system was not properly shut down; automatic recovery in progress`);
    for (let asked = 0; asked < 29; asked += 1) ask();
    hear(`${stamp} LOG:  redo done at 0/1B5E3A8`);
    expect(told).to.have.length(1);
    expect(told[0]).to.include('was not shut down cleanly');
  });
});
