import { isConclusive, type Measure } from './compare.ts';
import type { Metric } from './scenario.ts';

/** What the system is held against; written with the results. */
export const baselines = {
  F0: 'a bare node:http server, in a process of its own, that parses the same JSON bodies and answers in JSON how many events they hold',
  F1: 'an Express server, in a process of its own, that parses the same bodies with its own parser and answers in JSON how many events they hold',
  F2: 'the event store client alone, in a process of its own, appending the same events with as many appends under way',
  F3: 'the time to read the same events with the client alone plus the time to insert all rows the projection made, those that ClickHouse computed among them, ready in the same batches',
  F4: "the very requests that the service sends to ClickHouse for the page, sent straight to ClickHouse's HTTP port",
  F5: "the very request that the service sends to ClickHouse for the download, sent straight to ClickHouse's HTTP port",
  pipe: 'a node:http server, in a process of its own, that passes the answer to that request on and does nothing else',
  F6: 'the bare parser, in a process of its own: lines or brackets told apart and JSON.parse for NDJSON and JSON, csv-parse with a header row for CSV',
  F7: 'the system itself, where there is a tenth of the data',
  peer: 'the service without a log, in tools/src/bench/competitor: Express, zod and one PostgreSQL with plain tables, told the same and asked the same',
  alone: 'the system itself, told the same plays one a request',
  open: 'the same server and the same route, open to everybody',
  first: 'the system itself, told plays that it was never told before',
  'page 1': 'the system itself, asked for the first page of the same window',
  'no FINAL': 'the same queries, sent straight to ClickHouse, over all versions of the rows',
  live: 'the projection as it runs live: the same events, folded and computed batch by batch into a generation of its own',
  flush: 'the age at which a projection writes a batch that is not full',
} as const;

/** What counts as a miss: CPU is known to a tenth; the clock on the wall, and latencies with it, to a quarter. */
type TargetKind = 'CPU' | 'wall' | 'latency';

/** Where a measure has to be. Of speed it must be as much or more, of cost as much or less. */
export interface Target {
  readonly id: string;
  readonly kind: TargetKind;
  readonly scenario: string;
  /** Of the measure, or of the metric where there is no baseline. */
  readonly name: string;
  readonly baseline?: string;
  readonly limit: number;
  /** In the unit of the measure, on top of so many times the baseline. */
  readonly plus?: number;
  readonly stretch?: number;
  readonly stretchPlus?: number;
  /** For metrics: the number has to be at least that, not at most. */
  readonly atLeast?: true;
}

const bulk = (scenario: string): readonly Target[] => [
  { id: 'R14', kind: 'CPU', scenario, name: 'CPU a row, read', baseline: 'F6', limit: 0.65, stretch: 0.8 },
  {
    id: 'R15',
    kind: 'wall',
    scenario,
    name: 'wall a row, a job without mapping',
    baseline: 'F2',
    limit: 0.6,
    stretch: 0.8,
  },
  {
    id: 'R15',
    kind: 'wall',
    scenario,
    name: 'wall a row, a job with mapping',
    baseline: 'F2',
    limit: 0.6,
    stretch: 0.8,
  },
];
const projected = (scenario: string): Target => ({
  id: 'R6',
  kind: 'wall',
  scenario,
  name: 'wall an event',
  baseline: 'F3',
  limit: 1.35,
});
const accepted = (scenario: string): readonly Target[] => [
  { id: 'R4', kind: 'wall', scenario, name: 'wall an event', baseline: 'F2', limit: 0.7, stretch: 0.85 },
  { id: 'R4', kind: 'latency', scenario, name: 'p99 of a request', baseline: 'F2', limit: 2, plus: 10 },
];
const paged = (scenario: string): readonly Target[] => [
  {
    id: 'R8',
    kind: 'latency',
    scenario,
    name: 'p50 of a page',
    baseline: 'F4',
    limit: 1.25,
    plus: 3,
    stretch: 1.1,
    stretchPlus: 1,
  },
  { id: 'R8', kind: 'latency', scenario, name: 'p95 of a page', baseline: 'F4', limit: 1.5, plus: 10 },
];
const grown = (scenario: string, limit: number): readonly Target[] =>
  ['asc', 'desc'].map((sort): Target => ({
    id: '10×',
    kind: 'CPU',
    scenario,
    name: `CPU a page, ${sort}`,
    baseline: 'F7',
    limit,
  }));
const checked = 'CPU an event, only checked';

/** The targets that one machine can show, each by a measure of a scenario. */
export const targets: readonly Target[] = [
  { id: 'R1', kind: 'CPU', scenario: 'ingest-1', name: checked, baseline: 'F0', limit: 0.18, stretch: 0.24 },
  { id: 'R2', kind: 'CPU', scenario: 'ingest-1', name: checked, baseline: 'F1', limit: 0.7, stretch: 0.85 },
  { id: 'R3', kind: 'CPU', scenario: 'ingest-100', name: checked, baseline: 'F0', limit: 0.4, stretch: 0.5 },
  { id: 'R3', kind: 'CPU', scenario: 'ingest-100', name: checked, baseline: 'F1', limit: 0.7, stretch: 0.85 },
  ...accepted('ingest-1'),
  ...accepted('ingest-100'),
  {
    id: 'R5',
    kind: 'CPU',
    scenario: 'ingest-batches',
    name: 'CPU an event, checked by the hundred',
    baseline: 'alone',
    limit: 1 / 15,
    stretch: 1 / 40,
  },
  projected('projection-plays'),
  projected('projection-people'),
  {
    id: 'R7',
    kind: 'CPU',
    scenario: 'rebuild',
    name: 'CPU an event, replay',
    baseline: 'live',
    limit: 1.2,
    stretch: 1,
  },
  ...paged('page-100'),
  ...paged('page-1000'),
  {
    id: 'R9',
    kind: 'latency',
    scenario: 'page-nth',
    name: 'p50 of page 1,000',
    baseline: 'page 1',
    limit: 1.5,
    stretch: 1.2,
  },
  {
    id: 'R10',
    kind: 'CPU',
    scenario: 'page-final',
    name: 'CPU of the queries',
    baseline: 'no FINAL',
    limit: 2,
    stretch: 1.3,
  },
  { id: 'R11', kind: 'wall', scenario: 'csv', name: 'wall a row', baseline: 'F5', limit: 0.65, stretch: 0.9 },
  // Of a row of 63 columns, some 700 bytes: Node takes several times 0.15 µs to pass it on and do nothing else.
  { id: 'R11', kind: 'CPU', scenario: 'csv', name: 'CPU a row, Node', baseline: 'pipe', limit: 1.3, stretch: 1.1 },
  { id: 'R13', kind: 'latency', scenario: 'csv', name: 'first byte', baseline: 'F5', limit: 1.5, plus: 20 },
  { id: 'R13', kind: 'CPU', scenario: 'csv-growth', name: 'peak memory, times that of a tenth', limit: 1.15 },
  { id: 'R13', kind: 'CPU', scenario: 'csv-growth', name: 'peak memory, more than of a tenth', limit: 64 },
  { id: '10×', kind: 'CPU', scenario: 'csv-growth', name: 'CPU a row', baseline: 'F7', limit: 1.1 },
  ...['bulk-ndjson', 'bulk-json', 'bulk-csv'].flatMap(bulk),
  {
    id: 'R16',
    kind: 'CPU',
    scenario: 'ingest-again',
    name: 'CPU an event, sent again',
    baseline: 'first',
    limit: 1.2,
    stretch: 0.8,
  },
  {
    id: 'R17',
    kind: 'CPU',
    scenario: 'auth',
    name: 'CPU of a request, API key',
    baseline: 'open',
    limit: 1 / (1 - 0.08),
  },
  { id: 'R17', kind: 'CPU', scenario: 'auth', name: 'CPU of a request, token', baseline: 'open', limit: 1 / (1 - 0.2) },
  { id: 'R18', kind: 'wall', scenario: 'overload', name: 'goodput of the peak', limit: 0.8, atLeast: true },
  { id: 'R18', kind: 'latency', scenario: 'overload', name: 'p95 of a refusal', limit: 50 },
  { id: 'R18', kind: 'CPU', scenario: 'overload', name: 'memory, times that at the peak', limit: 1.5 },
  { id: 'R18', kind: 'CPU', scenario: 'overload', name: 'accepted and lost', limit: 0 },
  {
    id: 'R19',
    kind: 'latency',
    scenario: 'freshness',
    name: 'p50 of accepted to visible',
    baseline: 'flush',
    limit: 1,
    plus: 250,
  },
  {
    id: 'R19',
    kind: 'latency',
    scenario: 'freshness',
    name: 'p95 of accepted to visible',
    baseline: 'flush',
    limit: 2,
    plus: 500,
  },
  { id: 'R20', kind: 'latency', scenario: 'restart', name: 'visible after kill -9, past the lease', limit: 5_000 },
  { id: 'R20', kind: 'latency', scenario: 'restart', name: 'clean stop', limit: 1_000 },
  { id: '10×', kind: 'CPU', scenario: 'growth-ingest', name: 'CPU an event', baseline: 'F7', limit: 1.1 },
  { id: '10×', kind: 'latency', scenario: 'growth-ingest', name: 'p50 of a request', baseline: 'F7', limit: 1.2 },
  ...['remembered', 'in the records'].map((where): Target => {
    const name = `CPU of a look-up, ${where}`;
    return { id: '10×', kind: 'CPU', scenario: 'growth-keys', name, baseline: 'F7', limit: 1.05 };
  }),
  { id: '10×', kind: 'CPU', scenario: 'growth-projection', name: 'CPU an event, live', baseline: 'F7', limit: 1.15 },
  {
    id: '10×',
    kind: 'wall',
    scenario: 'growth-projection',
    name: 'wall an event, live',
    baseline: 'F7',
    limit: 1.15,
  },
  { id: '10×', kind: 'CPU', scenario: 'growth-projection', name: 'most parts of a partition', limit: 300 },
  { id: '10×', kind: 'CPU', scenario: 'growth-projection', name: 'delayed or refused inserts', limit: 0 },
  ...grown('growth-page', 1.5),
  ...grown('growth-page-unmerged', 2.5),
];

type Verdict = 'stretch met' | 'met' | 'in the noise' | 'missed' | 'inconclusive';

/** By how much a gate may be missed without anything being said by it. */
const noise: Readonly<Record<TargetKind, number>> = { CPU: 0.1, wall: 0.25, latency: 0.25 };

/** Of the stretches of a run so many must miss as well. */
const mostGroups = 0.75;

/** The ratio that is asked for: times the baseline, and a constant of which the baseline is a part. */
export const limitOf = (
  { baselineValue: baselineValue }: Pick<Measure, 'baselineValue'>,
  limit: number,
  plus = 0,
): number => limit + plus / baselineValue;

type Judged = Pick<Measure, 'reading' | 'ratio' | 'groups' | 'baselineValue' | 'sameAgainstSame'>;

/** A gate is missed where the whole and most parts of it miss by more than noise. */
export const judgeMeasure = (measure: Judged, gate: Target): Verdict => {
  if (!isConclusive(measure)) return 'inconclusive';
  const isShare = measure.reading === 'share';
  const reaches = (ratio: number, limit: number, slack = 0) =>
    isShare ? ratio >= limit * (1 - slack) : ratio <= limit * (1 + slack);
  const { stretch, stretchPlus, kind } = gate;
  if (stretch !== undefined && reaches(measure.ratio, limitOf(measure, stretch, stretchPlus))) return 'stretch met';
  const limit = limitOf(measure, gate.limit, gate.plus);
  if (reaches(measure.ratio, limit)) return 'met';
  const isMissed = (ratio: number) => !reaches(ratio, limit, noise[kind]);
  const missedGroups = measure.groups.filter(isMissed).length;
  return isMissed(measure.ratio) && missedGroups >= mostGroups * measure.groups.length ? 'missed' : 'in the noise';
};

/** A metric is what it is. */
export const judgeMetric = ({ value }: Metric, { limit, atLeast }: Target): Verdict =>
  (atLeast ? value >= limit : value <= limit) ? 'met' : 'missed';
