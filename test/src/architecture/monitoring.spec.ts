import type { Problem } from '@popsvc/contracts/diagnostics';
import { allChecks } from '@popsvc/ops-api/server';
import { expect } from 'chai';
import { processMetrics } from '@popsvc/tools/reference-pages';
import { dashboards, groups, type Rule, rules, readSeriesLabels } from './monitoring.fixture.ts';
import { readPromql } from './promql.fixture.ts';
import { anchorOf, read } from './tree.fixture.ts';

const seriesLabels = readSeriesLabels();

/** Syntax errors, unknown series and unknown labels of an expression. */
const errorsIn = (expression: string): readonly string[] => {
  const { errors, selected } = readPromql(expression);
  if (selected.length === 0) return [...errors, `${expression}: selects nothing`];
  return [
    ...errors,
    ...selected.flatMap(({ metric, labels }) => {
      const known = seriesLabels.get(metric);
      if (!known) return [`there is no ${metric}`];
      return labels.filter((label) => !known.includes(label)).map((label) => `${metric} has no label ${label}`);
    }),
  ];
};

describe('metrics', () => {
  const all = Object.values(processMetrics).flat();

  it('follow the naming conventions of Prometheus', () => {
    expect(all.length).to.be.greaterThan(40);
    for (const { name, type, help, labels } of all) {
      expect(name).to.match(/^popsvc_[a-z0-9_]+$/);
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
      expect(name, 'base units').to.not.match(/_(ms|millis|milliseconds|minutes|kb|mb|percent)(_|$)/);
      expect(help, name).to.match(/^[A-Z0-9].*\.$/);
      // This metric counts only the first senders by network and vendor.
      const mayNameSender = name === 'popsvc_intake_unknown_references_total';
      const unbounded = mayNameSender ? /device|client|key|id$/ : /device|client|key|network|vendor|id$/;
      expect(
        labels.filter((label) => unbounded.test(label)),
        name,
      ).to.deep.equal([]);
    }
  });

  it('have the same definition in every process', () => {
    const seen = new Map(all.map((figure) => [figure.name, figure]));
    for (const figure of all) expect(figure).to.deep.equal(seen.get(figure.name));
  });
});

describe('the check of expressions', () => {
  it('reports syntax errors, unknown series and unknown labels', () => {
    expect(errorsIn('sum by (kind) (rate(popsvc_intake_events_accepted_total{kind="pop"}[5m]))')).to.deep.equal([]);
    expect(errorsIn('rate(popsvc_intake_events_total[5m])')).to.deep.equal(['there is no popsvc_intake_events_total']);
    expect(errorsIn('up{job="popsvc"} ==')).not.to.deep.equal([]);
    expect(errorsIn('sum by (colour) (popsvc_parked_events)')).to.deep.equal([
      'popsvc_parked_events has no label colour',
    ]);
    expect(errorsIn('popsvc_append_seconds{outcome="stored"}')).to.deep.equal(['there is no popsvc_append_seconds']);
    expect(errorsIn('1 + 1')).to.deep.equal(['1 + 1: selects nothing']);
  });
});

describe('deploy/grafana', () => {
  it('contains the dashboards', () => {
    const stems = [...dashboards.keys()].map((path) => path.replace(/^.*\/|\.json$/g, ''));
    expect(stems).to.have.members(['overview', 'ingestion', 'projections', 'reporting', 'engines']);
    const uids = [...dashboards.values()].map(({ uid }) => uid);
    expect(new Set(uids).size).to.equal(uids.length);
  });

  for (const [path, { panels }] of dashboards)
    it(`${path} queries existing series and labels`, () => {
      const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
      expect(expressions.length).to.be.greaterThan(5);
      expect(expressions.flatMap(errorsIn)).to.deep.equal([]);
    });

  for (const [path, { panels }] of dashboards)
    it(`${path} has no overlapping panels`, () => {
      for (const [index, { gridPos: one, title }] of panels.entries()) {
        expect(one.x + one.w, title).to.be.at.most(24);
        for (const { gridPos: other } of panels.slice(index + 1)) {
          const areApart =
            one.x + one.w <= other.x ||
            other.x + other.w <= one.x ||
            one.y + one.h <= other.y ||
            other.y + other.h <= one.y;
          expect(areApart, `${title} at ${one.y}`).to.equal(true);
        }
      }
    });

  it('every metric is in a dashboard or an alert', () => {
    const expressions = [...dashboards.values()]
      .flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)))
      .concat(rules.map(({ expr }) => expr))
      .flatMap((expr) => readPromql(expr).selected.map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, '')));
    const unused = new Set(
      Object.values(processMetrics)
        .flat()
        .map(({ name }) => name),
    );
    for (const name of expressions) unused.delete(name);
    expect([...unused]).to.deep.equal([]);
  });
});

describe('deploy/prometheus/alerts.yml', () => {
  it('has unique names of groups and alerts', () => {
    expect(rules.length).to.be.greaterThan(15);
    expect(new Set(groups.map(({ name }) => name)).size).to.equal(groups.length);
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
  });

  for (const rule of rules)
    it(`${rule.alert} is a valid rule on existing series`, () => {
      expect(rule).to.have.all.keys(['alert', 'expr', 'labels', 'annotations', ...(rule.for ? ['for'] : [])]);
      expect(rule.alert).to.match(/^[A-Z][A-Za-z]+$/);
      expect(rule.for ?? '1m').to.match(/^\d+(s|m|h|d)$/);
      expect(rule.labels['severity']).to.be.oneOf(['critical', 'warning']);
      expect(rule.annotations).to.have.all.keys(['summary', 'description', 'runbook_url']);
      expect(errorsIn(rule.expr)).to.deep.equal([]);
    });

  const ruleOf = (name: string) => rules.find(({ alert }) => alert === name)!;

  /** The problems of the doctor and the overview, by the labels `check` and `problem` of an alert. */
  const problems = new Map<string, Problem>(
    allChecks.flatMap((check) =>
      Object.entries(check.problems).map(([code, problem]) => [`${check.name} ${code}`, problem] as const),
    ),
  );
  const problemOf = ({ labels }: Rule): string => `${labels['check']} ${labels['problem']}`;

  it('has the labels of a problem that a check reports, or of a trend', () => {
    expect(rules.map(problemOf).filter((problem) => !problems.has(problem))).to.have.members([
      '{{ $labels.dependency }} undefined',
      'service down',
      'intake silent',
      'append-latency high',
      'internal-errors some',
      'unavailable-responses many',
      'report-latency high',
      'members missing',
      'downloads cut',
      'freshness stale',
      'devices many-offline',
      'generations replay-stuck',
      'event-loop busy',
      'memory high',
    ]);
  });

  it('has the thresholds of the checks, unless the guide says that the check warns sooner', () => {
    const sections = read('docs/guides/operators/on-call.md').split(/^#+ /m);
    const withThreshold = rules.filter((rule) => {
      const problem = problems.get(problemOf(rule));
      const limits = [...rule.expr.matchAll(/[<>] ([\d.]+)/g)].map(([, limit]) => Number(limit));
      if (!problem || limits.every((limit) => limit === 0)) return false;
      const section = sections.find((text) => text.startsWith(`${rule.alert}\n`));
      if (problem.threshold === undefined) expect(section, rule.alert).to.match(/warns sooner/);
      else expect(limits, rule.alert).to.include(problem.threshold);
      return problem.threshold !== undefined;
    });
    const declared = [...problems.values()].filter(({ threshold }) => threshold !== undefined);
    expect(withThreshold.length).to.equal(declared.length).and.be.greaterThan(5);
  });

  it('is described in the guide with the severity of each alert', () => {
    const sections = read('docs/guides/operators/on-call.md').split(/^### /m);
    const severities = rules.map(({ alert }) => {
      const text = sections.find((section) => section.startsWith(`${alert}\n`)) ?? '';
      return [alert, /^\w+\n\n\*\*(Critical|Warning)\.\*\*/.exec(text)?.[1]?.toLowerCase()];
    });
    expect(severities).to.deep.equal(rules.map(({ alert, labels }) => [alert, labels['severity']]));
  });

  it('DiskNearlyFull watches the disks of ClickHouse and of DATA_DIR', () => {
    const { expr } = ruleOf('DiskNearlyFull');
    for (const disk of ['popsvc_clickhouse_disk', 'popsvc_data_dir'])
      expect(expr).to.match(new RegExp(`${disk}_free_bytes / \\w+\\) < 0\\.15`));
  });

  it('NothingAccepted compares with the same hour of yesterday and of a week ago', () => {
    const { expr } = rules.find(({ alert }) => alert === 'NothingAccepted')!;
    const offsets = [...expr.matchAll(/offset (\w+)/g)].map(([, offset]) => offset);
    expect(new Set(offsets)).to.deep.equal(new Set(['1d', '1w']));
  });

  it('ServiceDown also fires for a service of which Prometheus finds no process', () => {
    for (const service of Object.keys(processMetrics))
      expect(ruleOf('ServiceDown').expr).to.include(
        `absent(process_start_time_seconds{job="popsvc",service="${service}"})`,
      );
  });

  it('alerts about a ClickHouse server name it and its shard', () => {
    const ofServers = rules.filter(({ expr }) =>
      readPromql(expr).selected.some(({ metric }) => seriesLabels.get(metric)?.includes('replica')),
    );
    const lostParts = ruleOf('ReplicaPartsLost');
    expect(ofServers).to.have.length(6).and.to.include(lostParts);
    for (const { alert, expr } of ofServers)
      expect(expr, alert).to.include(alert === lostParts.alert ? 'by (shard)' : 'by (shard, replica)');
  });

  it('projections alert by partition: others do not hide one that fails or lags', () => {
    for (const name of ['ProjectionFailing', 'ProjectionLagging'])
      expect(ruleOf(name).expr).to.include('max by (projection, generation, partition) (');
  });

  it('a paused projection raises only ProjectionPaused, a warning after an hour', () => {
    // The series of failures and lag exist for running projections only.
    const freshnessRules = rules.filter(({ expr }) => /popsvc_freshness_seconds/.test(expr));
    expect(freshnessRules.map(({ alert }) => alert)).to.deep.equal(['ReportsOutOfDate']);
    for (const { expr } of freshnessRules)
      expect(expr.replaceAll(/\s+/g, ' ')).to.include(
        'by (projection) (popsvc_freshness_seconds) > 60 unless on (projection) max by (projection) (popsvc_projection_paused) > 0',
      );
    const paused = ruleOf('ProjectionPaused');
    expect([paused.labels['severity'], paused.for]).to.deep.equal(['warning', '1h']);
  });

  it('texts use labels that their expressions keep', () => {
    for (const { alert, expr, annotations } of rules) {
      const used = [...`${annotations['summary']} ${annotations['description']}`.matchAll(/\$labels\.(\w+)/g)].map(
        ([, label = '']) => label,
      );
      const labels = readPromql(expr).selected.flatMap((selected) => selected.labels);
      const isGrouped = / by \(/.test(expr);
      expect(
        used.filter((label) => isGrouped && !labels.includes(label)),
        alert,
      ).to.deep.equal([]);
    }
  });

  it('every alert links its heading in the guide, and the guide has no other alerts', () => {
    const guide = 'docs/guides/operators/on-call.md';
    const headings = [...read(guide).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
    for (const { alert, annotations } of rules) {
      expect(annotations['runbook_url']).to.equal(`${guide}#${anchorOf(alert)}`);
      expect(headings.map(anchorOf), alert).to.include(anchorOf(alert));
    }
    const anchors = [...read(guide).matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(anchors.length).to.be.greaterThan(10);
    expect(anchors.filter((anchor) => !headings.map(anchorOf).includes(anchor))).to.deep.equal([]);
    const inGuide = headings.filter((heading) => /^[A-Z][a-z]+([A-Z][a-z]+)+$/.test(heading));
    expect(inGuide).to.have.members(rules.map(({ alert }) => alert));
  });
});
