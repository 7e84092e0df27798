import { alertRuleGroups, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import { expect } from 'chai';

describe('findings', () => {
  it('take severity and advice from the declaration of the problem', () => {
    expect(reportProblem('projection', 'paused', { subject: 'coffee', found: 'paused', sinceMs: 0 })).to.deep.equal({
      check: 'projection',
      subject: 'coffee',
      outcome: 'warning',
      problem: 'paused',
      found: 'paused',
      since: '1970-01-01T00:00:00.000Z',
      advice: 'popsvc projections resume coffee resumes it.',
    });
    const facts = { statements: 'DROP TABLE a; DROP TABLE b;' };
    const { subject, advice } = reportProblem('generations', 'unknown-tables', { found: 'a, b', facts });
    expect(subject).to.equal(null);
    expect(advice).to.match(/In ClickHouse: DROP TABLE a; DROP TABLE b;$/);
  });

  it('have the errors of every check', () => {
    expect(reportProblem('quarantine', 'check-timed-out', { found: 'no answer' }).outcome).to.equal('failed');
  });

  it('have no advice if there is no problem', () => {
    expect(reportOk('nats', { found: 'not used' })).to.include({ outcome: 'ok', problem: null, advice: null });
  });
});

describe('alert rules', () => {
  it('have descriptions without placeholders of the doctor', () => {
    const descriptions = alertRuleGroups().flatMap(({ rules }) =>
      rules.map(({ annotations }) => annotations.description),
    );
    expect(descriptions.length).to.be.greaterThan(20);
    for (const description of descriptions) expect(description).to.not.match(/(?<!\{)\{\w+\}/);
    expect(descriptions).to.include('popsvc projections resume {{ $labels.projection }} resumes it.');
  });
});
