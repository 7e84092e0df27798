import { expect } from 'chai';
import {
  baselines,
  type Target,
  targets,
  storedRatiosTable,
  mergeRatios,
  type Measure,
  targetTable,
  describeMachine,
  type ScenarioResult,
  judgeMeasure,
  judgeMetric,
  allScenarios,
} from '@popsvc/tools/bench';

const measure = (ratio: number, more: Partial<Measure> = {}): Measure => ({
  name: 'CPU a page',
  unit: 'µs',
  baseline: 'F4',
  reading: 'times',
  baselineValue: 10,
  systemValue: 10 * ratio,
  ratio,
  quartiles: [ratio, ratio],
  groups: [ratio, ratio, ratio, ratio],
  sameAgainstSame: 1,
  ...more,
});
const cpu: Target = {
  id: 'R0',
  kind: 'CPU',
  scenario: 'page',
  name: 'CPU a page',
  baseline: 'F4',
  limit: 2,
  stretch: 1.5,
};
const ran = (ratio: number): ScenarioResult => ({
  scenario: 'page',
  measures: [measure(ratio)],
  metrics: [{ name: 'peak memory', value: 200, unit: 'MiB' }],
});

describe('the gates of the benchmarks', () => {
  it('are met, hoped for, in the noise or missed', () => {
    const verdicts = [1.5, 1.51, 2, 2.19, 2.21].map((ratio) => judgeMeasure(measure(ratio), cpu));
    expect(verdicts).to.deep.equal(['stretch met', 'met', 'met', 'in the noise', 'missed']);
    const wall = [2.4, 2.6].map((ratio) => judgeMeasure(measure(ratio), { ...cpu, kind: 'wall' }));
    expect(wall).to.deep.equal(['in the noise', 'missed']);
    const share = { ...cpu, limit: 0.7, stretch: 0.85 };
    const shares = [0.9, 0.7, 0.64, 0.62].map((ratio) => judgeMeasure(measure(ratio, { reading: 'share' }), share));
    expect(shares).to.deep.equal(['stretch met', 'met', 'in the noise', 'missed']);
  });

  it('are not missed where two stretches of four are not, nor where equal work did not look equal', () => {
    expect(judgeMeasure(measure(3, { groups: [3, 3, 3, 1] }), cpu)).to.equal('missed');
    expect(judgeMeasure(measure(3, { groups: [3, 3, 1, 1] }), cpu)).to.equal('in the noise');
    expect(judgeMeasure(measure(3, { sameAgainstSame: 1.2 }), cpu)).to.equal('inconclusive');
  });

  it('may allow a constant on top of the baseline', () => {
    const gate: Target = { ...cpu, kind: 'latency', plus: 10, stretch: 1.5, stretchPlus: 5 };
    // Twice ten and ten are three times the baseline; one and a half times ten and five are twice.
    const verdicts = [2, 2.01, 3, 3.7, 3.8].map((ratio) => judgeMeasure(measure(ratio), gate));
    expect(verdicts).to.deep.equal(['stretch met', 'met', 'met', 'in the noise', 'missed']);
  });

  it('hold metrics to a bound', () => {
    const metric = (value: number) => ({ name: 'x', value, unit: '' });
    const limit = { ...cpu, limit: 0.8 };
    expect([0.8, 0.81].map((value) => judgeMetric(metric(value), limit))).to.deep.equal(['met', 'missed']);
    const least: Target = { ...limit, atLeast: true };
    expect([0.8, 0.79].map((value) => judgeMetric(metric(value), least))).to.deep.equal(['met', 'missed']);
  });

  it('are told in a table, those of what was run', () => {
    const memory: Target = { id: 'R00', kind: 'CPU', scenario: 'page', name: 'peak memory', limit: 150 };
    const text = targetTable([cpu, memory, { ...cpu, scenario: 'other' }], [ran(1.8)]);
    expect(text.trimEnd().split('\n')).to.have.length(4);
    expect(text)
      .to.match(/R0 .*≤ 2\.00 .*1\.80 .*≤ 1\.50 .*met/)
      .and.to.match(/R00 .*≤ 150 MiB .*200 MiB .*missed/);
    expect(targetTable([cpu], [])).to.equal('');
  });

  it('belong to scenarios and baselines that there are', () => {
    const names = allScenarios.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(targets.filter(({ scenario }) => !names.includes(scenario))).to.deep.equal([]);
    expect(
      targets.filter(({ baseline: baseline }) => baseline !== undefined && !(baseline in baselines)),
    ).to.deep.equal([]);
  });

  it('go beside a baseline, which keeps what is not run', () => {
    const kept = mergeRatios({ machine: describeMachine(), ratios: { 'old | x | F0': 1 } }, describeMachine(), [
      ran(2),
    ]);
    expect(kept.ratios).to.deep.equal({ 'old | x | F0': 1, 'page | CPU a page | F4': 2 });
    expect(storedRatiosTable(kept, [ran(1)])).to.match(/page .*F4 .*2\.00 .*1\.00 .*2\.00/);
    expect(storedRatiosTable(kept, [{ ...ran(1), scenario: 'new' }])).to.include('new');
  });
});
