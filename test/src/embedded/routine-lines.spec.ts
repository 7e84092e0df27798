import { dropRoutineLines } from '@popsvc/embedded/start';
import { expect } from 'chai';

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
