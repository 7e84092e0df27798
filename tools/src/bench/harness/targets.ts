/** Kind of a measure. It determines the tolerance for noise: a tenth for CPU time, a quarter for elapsed time and latencies. */
export type NoiseClass = 'CPU' | 'wall' | 'latency';

/**
 * The required value of a measure: a minimum if the measure is a share of the baseline's speed, a maximum if it is a multiple of
 * the baseline's cost.
 */
export interface Target {
  readonly id: string;
  readonly kind: NoiseClass;
  readonly scenario: string;
  /** Name of the measure. If there is no baseline, this is the name of a figure instead. */
  readonly name: string;
  readonly baseline?: string;
  readonly limit: number;
  /**
   * An allowance in the unit of the measure: the required value is the baseline's value multiplied by `limit`, plus this
   * constant.
   */
  readonly plus?: number;
  readonly stretch?: number;
  readonly stretchPlus?: number;
  /** True if `limit` is a minimum; only for figures. */
  readonly atLeast?: true;
}

const bulkTargets = (scenario: string): readonly Target[] => [
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
const projectionTarget = (scenario: string): Target => ({
  id: 'R6',
  kind: 'wall',
  scenario,
  name: 'wall an event',
  baseline: 'F3',
  limit: 3.3,
});
const ingestTargets = (scenario: string): readonly Target[] => [
  { id: 'R4', kind: 'wall', scenario, name: 'wall an event', baseline: 'F2', limit: 0.7, stretch: 0.85 },
  { id: 'R4', kind: 'latency', scenario, name: 'p99 of a request', baseline: 'F2', limit: 2, plus: 10 },
];
const pageTargets = (scenario: string): readonly Target[] => [
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
const growthTargets = (scenario: string, limit: number): readonly Target[] =>
  ['asc', 'desc'].map((sort): Target => ({
    id: '10×',
    kind: 'CPU',
    scenario,
    name: `CPU a page, ${sort}`,
    baseline: 'F7',
    limit,
  }));
const visibleWithinMs = 10_000;
/** What one tenant may cost the others. */
const fairnessTargets: readonly Target[] = [
  ...['quiet before', 'dense data', 'bulk files', 'both', 'quiet after'].map((phase): Target => ({
    id: 'T1',
    kind: 'latency',
    scenario: 'fairness-visibility',
    name: `${phase}, p95`,
    limit: visibleWithinMs,
  })),
  ...['fairness-invalid', 'fairness-files'].map((scenario): Target => ({
    id: 'T2',
    kind: 'latency',
    scenario,
    name: 'p95 during, of quiet',
    limit: 1.5,
  })),
];
/** The gates against the competitor: what costs at most as much, and what stays ahead. */
const competitorTargets: readonly Target[] = [
  ...['CPU', 'wall'].map((kind): Target => ({
    id: 'C1',
    kind: kind as NoiseClass,
    scenario: 'competitor-ingest',
    name: `${kind} an event, 100 a request`,
    baseline: 'competitor',
    limit: 1,
  })),
  {
    id: 'C1',
    kind: 'CPU',
    scenario: 'competitor-ingest',
    name: 'CPU an event, 1 a request',
    baseline: 'competitor',
    limit: 1.12,
  },
  {
    id: 'C2',
    kind: 'CPU',
    scenario: 'competitor-ingest',
    name: 'CPU until it is in the report, of the cost',
    limit: 2.5,
  },
  ...(
    [
      ['at the start', 0.85],
      ['at the end', 0.85],
      ['for 8 readers', 0.85],
      ['of 1,000 rows', 0.35],
      ['of 5,000 rows', 0.35],
      ['after a pause', 1.2],
    ] as const
  ).flatMap(([what, limit]): readonly Target[] => {
    const of = { id: 'C3', scenario: 'competitor-pages', baseline: 'competitor', limit } as const;
    return [
      { ...of, kind: 'CPU', name: `CPU a page ${what}` },
      { ...of, kind: 'latency', name: `p50 of a page ${what}` },
    ];
  }),
  { id: 'C4', kind: 'CPU', scenario: 'competitor-month', name: 'log and read models, of the size', limit: 1 },
  {
    id: 'C5',
    kind: 'wall',
    scenario: 'competitor-month',
    name: 'first page of the month, of the speed',
    limit: 5,
    atLeast: true,
  },
  ...[
    ['row of CSV', 6.3],
    ['row of CSV while plays come in', 5],
    ['month by campaign', 13.5],
  ].map(([name, limit]): Target => ({
    id: 'C5',
    kind: 'wall',
    scenario: 'competitor-month',
    name: `wall a ${String(name)}`,
    baseline: 'competitor',
    limit: Number(limit),
  })),
];
const validatedOnly = 'CPU an event, only checked';

/**
 * The targets that can be measured on one machine. The limits of R3, R6, R17 and the look-up of a cached key are what is possible, see
 * docs/benchmarks.md.
 */
export const targets: readonly Target[] = [
  { id: 'R1', kind: 'CPU', scenario: 'ingest-1', name: validatedOnly, baseline: 'F0', limit: 0.18, stretch: 0.24 },
  { id: 'R2', kind: 'CPU', scenario: 'ingest-1', name: validatedOnly, baseline: 'F1', limit: 0.7, stretch: 0.85 },
  { id: 'R3', kind: 'CPU', scenario: 'ingest-100', name: validatedOnly, baseline: 'F0', limit: 0.18, stretch: 0.24 },
  { id: 'R3', kind: 'CPU', scenario: 'ingest-100', name: validatedOnly, baseline: 'F1', limit: 0.28, stretch: 0.4 },
  ...ingestTargets('ingest-1'),
  ...ingestTargets('ingest-100'),
  {
    id: 'R5',
    kind: 'CPU',
    scenario: 'ingest-batches',
    name: 'CPU an event, checked by the hundred',
    baseline: 'alone',
    limit: 1 / 15,
    stretch: 1 / 40,
  },
  projectionTarget('projection-plays'),
  projectionTarget('projection-people'),
  {
    id: 'R7',
    kind: 'CPU',
    scenario: 'rebuild',
    name: 'CPU an event, replay',
    baseline: 'live',
    limit: 1.2,
    stretch: 1,
  },
  {
    id: 'C6',
    kind: 'wall',
    scenario: 'rebuild',
    name: 'wall an event, from facts',
    baseline: 'replay',
    limit: 0.2,
  },
  ...pageTargets('page-100'),
  ...pageTargets('page-1000'),
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
  { id: 'R8', kind: 'CPU', scenario: 'page-memory', name: 'major collections in 1,000 pages', limit: 0 },
  { id: 'R8', kind: 'CPU', scenario: 'page-memory', name: 'peak memory, times that after 4,000 pages', limit: 1.15 },
  { id: 'R11', kind: 'wall', scenario: 'csv', name: 'wall a row', baseline: 'F5', limit: 0.65, stretch: 0.9 },
  // The baseline `pipe` passes the response on unchanged. That alone takes noticeable CPU time, because a row has many columns and about
  // 700 bytes.
  { id: 'R11', kind: 'CPU', scenario: 'csv', name: 'CPU a row, Node', baseline: 'pipe', limit: 1.3, stretch: 1.1 },
  { id: 'R13', kind: 'latency', scenario: 'csv', name: 'first byte', baseline: 'F5', limit: 1.5, plus: 20 },
  { id: 'R13', kind: 'CPU', scenario: 'csv-growth', name: 'peak memory, times that of a tenth', limit: 1.15 },
  { id: 'R13', kind: 'CPU', scenario: 'csv-growth', name: 'peak memory, more than of a tenth', limit: 64 },
  { id: '10×', kind: 'CPU', scenario: 'csv-growth', name: 'CPU a row', baseline: 'F7', limit: 1.1 },
  ...['bulk-ndjson', 'bulk-json', 'bulk-csv'].flatMap(bulkTargets),
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
    limit: 1.35,
  },
  { id: 'R17', kind: 'CPU', scenario: 'auth', name: 'CPU of a request, token', baseline: 'open', limit: 1.4 },
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
  ...(
    [
      ['cached', 1.4],
      ['in PostgreSQL', 1.05],
    ] as const
  ).map(([where, limit]): Target => {
    const name = `CPU of a look-up, ${where}`;
    return { id: '10×', kind: 'CPU', scenario: 'growth-keys', name, baseline: 'F7', limit };
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
  ...growthTargets('growth-page', 1.5),
  ...growthTargets('growth-page-unmerged', 2.5),
  { id: '10×', kind: 'CPU', scenario: 'growth-changes', name: 'CPU a poll', baseline: 'F7', limit: 1.5 },
  ...fairnessTargets,
  ...competitorTargets,
];

/** Descriptions of the baselines, written with the results. */
export const baselines = {
  F0: 'a bare node:http server that parses the same JSON bodies and returns the number of events as JSON',
  F1: 'an Express server that parses the same bodies with its own parser and returns the number of events as JSON',
  F2: 'the event store client alone, which appends the same events with as many concurrent appends',
  F3: 'the time to read the same events with the client alone, plus the time to insert all rows of the projection, prepared and in the same batches',
  F4: 'the recorded requests of the service to ClickHouse for the page, sent directly to its HTTP port',
  F5: 'the recorded request of the service to ClickHouse for the download, sent directly to its HTTP port',
  pipe: 'a node:http server that passes the response to that request on unchanged',
  F6: 'the bare parser: splits at lines or brackets and calls JSON.parse; csv-parse with a header row',
  F7: 'the system itself with a tenth of the data',
  'F7 at once': 'the system itself, which builds a generation from a tenth of the data',
  competitor:
    'the service without a log, in tools/src/bench/competitor: Express, zod and one PostgreSQL with plain tables, with the same data and the same requests',
  alone: 'the system itself, with one play a request',
  open: 'the same server and the same route without authentication',
  first: 'the system itself, with new plays',
  'page 1': 'the system itself, for the first page of the same window',
  'no FINAL': 'the same queries over all versions of the rows, sent directly to ClickHouse',
  replay: 'a replay of the same events from the log',
  live: 'the live projection: the same events, processed batch by batch into a generation of its own',
  flush: 'the age at which a projection writes a batch that is not full',
} as const;
