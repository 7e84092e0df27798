import { expect } from 'chai';
import { figures } from '@popsvc/tools/reference-pages';
import { dashboards, groups, rules, seriesKnown } from './monitoring.fixture.ts';
import { readPromql } from './promql.fixture.ts';
import { read } from './tree.fixture.ts';

const known = seriesKnown();

/** What is wrong with an expression, in words. */
const faultsOf = (expression: string): readonly string[] => {
  const { errors, selected } = readPromql(expression);
  if (selected.length === 0) return [...errors, `${expression}: asks for nothing`];
  return [
    ...errors,
    ...selected.flatMap(({ metric, labels }) => {
      const has = known.get(metric);
      if (!has) return [`there is no ${metric}`];
      return labels.filter((label) => !has.includes(label)).map((label) => `${metric} has no label ${label}`);
    }),
  ];
};

/** As GitHub and most others make the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

describe('metrics', () => {
  const all = Object.values(figures).flat();

  it('have names after the conventions of Prometheus', () => {
    expect(all.length).to.be.greaterThan(40);
    for (const { name, type, help, labels } of all) {
      expect(name).to.match(/^popsvc_[a-z0-9_]+$/);
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
      expect(name, 'base units').to.not.match(/_(ms|millis|milliseconds|minutes|kb|mb|percent)(_|$)/);
      expect(help, name).to.match(/^[A-Z0-9].*\.$/);
      expect(
        labels.filter((label) => /device|client|key|network|id$/.test(label)),
        name,
      ).to.deep.equal([]);
    }
  });

  it('of one name are the same in every process', () => {
    const seen = new Map(all.map((figure) => [figure.name, figure]));
    for (const figure of all) expect(figure).to.deep.equal(seen.get(figure.name));
  });
});

describe('the reader of expressions', () => {
  it('finds what is wrong with one', () => {
    expect(faultsOf('sum by (kind) (rate(popsvc_intake_events_accepted_total{kind="pop"}[5m]))')).to.deep.equal([]);
    expect(faultsOf('rate(popsvc_intake_events_total[5m])')).to.deep.equal(['there is no popsvc_intake_events_total']);
    expect(faultsOf('up{job="popsvc"} ==')).not.to.deep.equal([]);
    expect(faultsOf('sum by (colour) (popsvc_parked_events)')).to.deep.equal([
      'popsvc_parked_events has no label colour',
    ]);
    expect(faultsOf('popsvc_append_seconds{outcome="stored"}')).to.deep.equal(['there is no popsvc_append_seconds']);
    expect(faultsOf('1 + 1')).to.deep.equal(['1 + 1: asks for nothing']);
  });
});

describe('deploy/grafana', () => {
  it('has the dashboards', () => {
    const stems = [...dashboards.keys()].map((path) => path.replace(/^.*\/|\.json$/g, ''));
    expect(stems).to.have.members(['overview', 'ingestion', 'projections', 'reporting', 'engines']);
    const uids = [...dashboards.values()].map(({ uid }) => uid);
    expect(new Set(uids).size).to.equal(uids.length);
  });

  for (const [path, { panels }] of dashboards)
    it(`${path} asks for what there is`, () => {
      const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
      expect(asked.length).to.be.greaterThan(5);
      expect(asked.flatMap(faultsOf)).to.deep.equal([]);
    });

  for (const [path, { panels }] of dashboards)
    it(`${path} has no panel over another`, () => {
      for (const [index, { gridPos: one, title }] of panels.entries()) {
        expect(one.x + one.w, title).to.be.at.most(24);
        for (const { gridPos: other } of panels.slice(index + 1)) {
          const apart =
            one.x + one.w <= other.x ||
            other.x + other.w <= one.x ||
            one.y + one.h <= other.y ||
            other.y + other.h <= one.y;
          expect(apart, `${title} at ${one.y}`).to.equal(true);
        }
      }
    });

  it('shows every metric somewhere, or alerts ask for it', () => {
    const asked = [...dashboards.values()]
      .flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)))
      .concat(rules.map(({ expr }) => expr))
      .flatMap((expr) => readPromql(expr).selected.map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, '')));
    const unseen = new Set(
      Object.values(figures)
        .flat()
        .map(({ name }) => name),
    );
    for (const name of asked) unseen.delete(name);
    expect([...unseen]).to.deep.equal([]);
  });
});

describe('deploy/prometheus/alerts.yml', () => {
  it('has groups with names, and alerts with names of their own', () => {
    expect(rules.length).to.be.greaterThan(15);
    expect(new Set(groups.map(({ name }) => name)).size).to.equal(groups.length);
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
  });

  for (const rule of rules)
    it(`${rule.alert} is a rule as Prometheus takes them, about what there is`, () => {
      expect(rule).to.have.all.keys(['alert', 'expr', 'labels', 'annotations', ...(rule.for ? ['for'] : [])]);
      expect(rule.alert).to.match(/^[A-Z][A-Za-z]+$/);
      expect(rule.for ?? '1m').to.match(/^\d+[smhd]$/);
      expect(rule.labels['severity']).to.be.oneOf(['critical', 'warning']);
      expect(rule.annotations).to.have.all.keys(['summary', 'runbook']);
      expect(faultsOf(rule.expr)).to.deep.equal([]);
    });

  it('compares a silence with other days, which are as busy at this hour and do not fall silent with it', () => {
    const { expr } = rules.find(({ alert }) => alert === 'NothingAccepted')!;
    const offsets = [...expr.matchAll(/offset (\w+)/g)].map(([, offset]) => offset);
    expect(new Set(offsets)).to.deep.equal(new Set(['1d', '1w']));
  });

  const ruleOf = (name: string) => rules.find(({ alert }) => alert === name)!;

  it('misses a service of which Prometheus knows no process', () => {
    expect(ruleOf('ServiceDown').expr).to.include('absent(up{job="popsvc"})');
  });

  it('leaves what an operator paused to an alert of its own, which comes later and is no alarm', () => {
    // What fails or lags is told of those alone that run: of one that is paused there is no series.
    const ofRows = rules.filter(({ expr }) => /popsvc_freshness_seconds/.test(expr));
    expect(ofRows.map(({ alert }) => alert)).to.deep.equal(['ReportsOutOfDate']);
    for (const { expr } of ofRows)
      expect(expr.replaceAll(/\s+/g, ' ')).to.include(
        'by (projection) (popsvc_freshness_seconds) > 60 unless on (projection) max by (projection) (popsvc_projection_paused) > 0',
      );
    const paused = ruleOf('ProjectionPaused');
    expect([paused.labels['severity'], paused.for]).to.deep.equal(['warning', '1h']);
  });

  it('tells labels that the expression leaves', () => {
    for (const { alert, expr, annotations } of rules) {
      const told = [...(annotations['summary'] ?? '').matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      const labels = readPromql(expr).selected.flatMap((selected) => selected.labels);
      const isGrouped = / by \(/.test(expr);
      expect(
        told.filter((label) => isGrouped && !labels.includes(label)),
        alert,
      ).to.deep.equal([]);
    }
  });

  it('sends to a heading of the guide for each, and the guide has none too many', () => {
    const guide = 'docs/guides/operators.md';
    const headings = [...read(guide).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
    for (const { alert, annotations } of rules) {
      expect(annotations['runbook']).to.equal(`${guide}#${anchorOf(alert)}`);
      expect(headings.map(anchorOf), alert).to.include(anchorOf(alert));
    }
    const wanted = [...read(guide).matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(wanted.length).to.be.greaterThan(10);
    expect(wanted.filter((anchor) => !headings.map(anchorOf).includes(anchor))).to.deep.equal([]);
    const inGuide = headings.filter((heading) => /^[A-Z][a-z]+([A-Z][a-z]+)+$/.test(heading));
    expect(inGuide).to.have.members(rules.map(({ alert }) => alert));
  });
});
