import { createCheck, failed, warning } from '@popsvc/contracts/diagnostics';
import { expect } from 'chai';

describe('createCheck', () => {
  const check = createCheck('projection', 'Each projection runs.', {
    stopped: failed('Start it.'),
    paused: warning((subject) => `popsvc projections resume ${subject} resumes it.`),
  });

  it('builds findings with the severity and the advice of the problem', () => {
    expect(check.problem('stopped', { found: 'no process runs it' })).to.deep.equal({
      check: 'projection',
      subject: null,
      outcome: 'failed',
      problem: 'stopped',
      found: 'no process runs it',
      since: null,
      advice: 'Start it.',
    });
  });

  it('names the subject in the advice, or another detail', () => {
    const observation = { subject: 'coffee', found: 'paused', sinceMs: 0 };
    expect(check.problem('paused', observation)).to.include({
      subject: 'coffee',
      since: '1970-01-01T00:00:00.000Z',
      advice: 'popsvc projections resume coffee resumes it.',
    });
    expect(check.problem('paused', { ...observation, detail: 'NAME' }).advice).to.include('resume NAME resumes');
  });

  it('gives no advice if there is no problem', () => {
    const none = { check: 'projection', problem: null, since: null, advice: null };
    expect(check.ok({ subject: 'coffee', found: 'runs' })).to.include({ ...none, subject: 'coffee', outcome: 'ok' });
    expect(check.skipped({ found: 'not checked' })).to.include({ ...none, subject: null, outcome: 'skipped' });
  });
});
