import { dropRoutineLines, limitLines } from '@popsvc/embedded/start';
import { expect } from 'chai';
import { useFakeTimers } from 'sinon';

describe('the output of engines during a start', () => {
  /** Passes texts through the filter and records the printed ones. */
  const filterLines = () => {
    const printed: string[] = [];
    const filter = dropRoutineLines(({ text }) => void printed.push(text));
    return { printed, pass: (text: string) => filter({ name: 'postgres', from: 'stderr', text }) };
  };
  const stamp = '2026-11-21 10:00:00.000 UTC [7]';

  it('is printed except for routine lines', () => {
    const { printed, pass } = filterLines();
    pass(`${stamp} LOG:  database system is ready to accept connections`);
    pass(`${stamp} FATAL:  password authentication failed for user "popsvc"`);
    pass(`${stamp} PANIC:  could not write to file "pg_wal/xlogtemp.9": No space left on device`);
    expect(printed).to.have.length(2);
    expect(printed[0]).to.include('password authentication failed');
  });

  it('has one line about a recovery, however many connections are refused meanwhile', () => {
    const { printed, pass } = filterLines();
    const refuseConnection = () => {
      for (const text of [
        'FATAL:  the database system is starting up',
        'FATAL:  the database system is not yet accepting connections',
        'DETAIL:  Consistent recovery state has not been yet reached.',
        'FATAL:  the database system is in recovery mode',
      ])
        pass(`${stamp} ${text}`);
    };
    refuseConnection();
    expect(printed).to.deep.equal([]);
    pass(`${stamp} LOG:  database system was interrupted; last known up at 2026-11-21 09:59:00 UTC`);
    pass(`${stamp} LOG:  database system was not properly shut down; automatic recovery in progress`);
    for (let connections = 0; connections < 29; connections += 1) refuseConnection();
    pass(`${stamp} LOG:  redo done at 0/1B5E3A8`);
    expect(printed).to.have.length(1);
    expect(printed[0]).to.include('was not shut down cleanly');
  });
});

describe('lines of an engine', () => {
  it('are limited to 200 a minute, and those that are left out are counted', () => {
    const clock = useFakeTimers({ now: 0, toFake: ['Date'] });
    try {
      const printed: string[] = [];
      const print = limitLines(({ text }) => void printed.push(text));
      const send = (text: string) => print({ name: 'clickhouse', from: 'stderr', text });
      for (let line = 0; line < 1_000; line += 1) send(`line ${line}`);
      expect(printed).to.have.length(200);
      clock.tick(60_000);
      send('later');
      expect(printed.slice(199)).to.deep.equal([
        'line 199',
        'printed 800 more lines, which are left out: at most 200 a minute are shown',
        'later',
      ]);
    } finally {
      clock.restore();
    }
  });
});
