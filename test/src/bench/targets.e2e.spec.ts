import { expect } from 'chai';
import {
  baselines,
  type Target,
  targets,
  storedRatiosTable,
  updateRatios,
  type Measure,
  targetTable,
  describeMachine,
  type ScenarioRun,
  judgeMeasure,
  judgeFigure,
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
  selfRatio: 1,
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
const runOf = (ratio: number): ScenarioRun => ({
  scenario: 'page',
  measures: [measure(ratio)],
  figures: [{ name: 'peak memory', value: 200, unit: 'MiB' }],
});

describe('the targets of the benchmarks', () => {
  it('are stretch met, met, in the noise or missed', () => {
    const verdicts = [1.5, 1.51, 2, 2.19, 2.21].map((ratio) => judgeMeasure(measure(ratio), cpu));
    expect(verdicts).to.deep.equal(['stretch met', 'met', 'met', 'in the noise', 'missed']);
    const wall = [2.4, 2.6].map((ratio) => judgeMeasure(measure(ratio), { ...cpu, kind: 'wall' }));
    expect(wall).to.deep.equal(['in the noise', 'missed']);
    const share = { ...cpu, limit: 0.7, stretch: 0.85 };
    const shares = [0.9, 0.7, 0.64, 0.62].map((ratio) => judgeMeasure(measure(ratio, { reading: 'share' }), share));
    expect(shares).to.deep.equal(['stretch met', 'met', 'in the noise', 'missed']);
  });

  it('are not missed if two of four parts meet them, or if the baseline differs from itself', () => {
    expect(judgeMeasure(measure(3, { groups: [3, 3, 3, 1] }), cpu)).to.equal('missed');
    expect(judgeMeasure(measure(3, { groups: [3, 3, 1, 1] }), cpu)).to.equal('in the noise');
    expect(judgeMeasure(measure(3, { selfRatio: 1.2 }), cpu)).to.equal('inconclusive');
  });

  it('can add a constant to the baseline', () => {
    const target: Target = { ...cpu, kind: 'latency', plus: 10, stretch: 1.5, stretchPlus: 5 };
    // The baseline is 10: twice 10 plus 10 is three times the baseline, 1.5 times 10 plus 5 is twice.
    const verdicts = [2, 2.01, 3, 3.7, 3.8].map((ratio) => judgeMeasure(measure(ratio), target));
    expect(verdicts).to.deep.equal(['stretch met', 'met', 'met', 'in the noise', 'missed']);
  });

  it('limit figures exactly', () => {
    const figure = (value: number) => ({ name: 'x', value, unit: '' });
    const limit = { ...cpu, limit: 0.8 };
    expect([0.8, 0.81].map((value) => judgeFigure(figure(value), limit))).to.deep.equal(['met', 'missed']);
    const least: Target = { ...limit, atLeast: true };
    expect([0.8, 0.79].map((value) => judgeFigure(figure(value), least))).to.deep.equal(['met', 'missed']);
  });

  it('of the scenarios that were run are in the table', () => {
    const memory: Target = { id: 'R00', kind: 'CPU', scenario: 'page', name: 'peak memory', limit: 150 };
    const text = targetTable([cpu, memory, { ...cpu, scenario: 'other' }], [runOf(1.8)]);
    expect(text.trimEnd().split('\n')).to.have.length(4);
    expect(text)
      .to.match(/R0 .*≤ 2\.00 .*1\.80 .*≤ 1\.50 .*met/)
      .and.to.match(/R00 .*≤ 150 MiB .*200 MiB .*missed/);
    expect(targetTable([cpu], [])).to.equal('');
    expect(targetTable([{ ...cpu, name: 'CPU a file' }], [runOf(1.8)])).to.match(/CPU a file .*not measured/);
  });

  it('name existing scenarios and baselines', () => {
    const names = allScenarios.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(targets.filter(({ scenario }) => !names.includes(scenario))).to.deep.equal([]);
    expect(targets.filter(({ baseline }) => baseline !== undefined && !(baseline in baselines))).to.deep.equal([]);
  });

  it('stored ratios keep the scenarios that are not run', () => {
    const sizes = { events: 50_000, rows: 300_000 };
    const old = { machine: describeMachine(), sizes: { old: sizes }, ratios: { 'old | x | F0': 1 } };
    const stored = updateRatios(old, describeMachine(), [runOf(2)], sizes);
    expect(stored.ratios).to.deep.equal({ 'old | x | F0': 1, 'page | CPU a page | F4': 2 });
    expect(storedRatiosTable(stored, [runOf(1)], sizes)).to.match(/page .*F4 .*2\.00 .*1\.00 .*2\.00/);
    expect(storedRatiosTable(stored, [{ ...runOf(1), scenario: 'new' }], sizes)).to.include('new');
  });

  it('ratios that were stored with other sizes are not compared', () => {
    const stored = updateRatios(undefined, describeMachine(), [runOf(2)], { events: 200_000, rows: 300_000 });
    const table = storedRatiosTable(stored, [runOf(1)], { events: 50_000, rows: 300_000 });
    expect(table)
      .to.include('stored with --n 200000 --rows 300000')
      .and.not.match(/2\.00 .*1\.00 .*2\.00/);
  });
});
