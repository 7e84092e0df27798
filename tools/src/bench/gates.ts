/** What counts as a miss: CPU is known to a tenth; the clock on the wall, and latencies with it, to a quarter. */
export type Kind = 'CPU' | 'wall' | 'latency';

/** Where a measure has to be. Of speed it must be as much or more, of cost as much or less. */
export interface Gate {
  readonly id: string;
  readonly kind: Kind;
  readonly scenario: string;
  /** Of the measure, or of the figure where there is no floor. */
  readonly name: string;
  readonly floor?: string;
  readonly limit: number;
  /** In the unit of the measure, on top of so many times the floor. */
  readonly plus?: number;
  readonly stretch?: number;
  readonly stretchPlus?: number;
  /** For figures: the number has to be at least that, not at most. */
  readonly atLeast?: true;
}

const bulk = (scenario: string): readonly Gate[] => [
  { id: 'R14', kind: 'CPU', scenario, name: 'CPU a row, read', floor: 'F6', limit: 0.65, stretch: 0.8 },
  {
    id: 'R15',
    kind: 'wall',
    scenario,
    name: 'wall a row, a job without mapping',
    floor: 'F2',
    limit: 0.6,
    stretch: 0.8,
  },
  { id: 'R15', kind: 'wall', scenario, name: 'wall a row, a job with mapping', floor: 'F2', limit: 0.6, stretch: 0.8 },
];
const projected = (scenario: string): Gate => ({
  id: 'R6',
  kind: 'wall',
  scenario,
  name: 'wall an event',
  floor: 'F3',
  limit: 1.35,
});
const accepted = (scenario: string): readonly Gate[] => [
  { id: 'R4', kind: 'wall', scenario, name: 'wall an event', floor: 'F2', limit: 0.7, stretch: 0.85 },
  { id: 'R4', kind: 'latency', scenario, name: 'p99 of a request', floor: 'F2', limit: 2, plus: 10 },
];
const paged = (scenario: string): readonly Gate[] => [
  {
    id: 'R8',
    kind: 'latency',
    scenario,
    name: 'p50 of a page',
    floor: 'F4',
    limit: 1.25,
    plus: 3,
    stretch: 1.1,
    stretchPlus: 1,
  },
  { id: 'R8', kind: 'latency', scenario, name: 'p95 of a page', floor: 'F4', limit: 1.5, plus: 10 },
];
const grown = (scenario: string, limit: number): readonly Gate[] =>
  ['asc', 'desc'].map((sort): Gate => ({
    id: '10×',
    kind: 'CPU',
    scenario,
    name: `CPU a page, ${sort}`,
    floor: 'F7',
    limit,
  }));
const checked = 'CPU an event, only checked';

/** The targets that one machine can show, each by a measure of a scenario. */
export const gates: readonly Gate[] = [
  { id: 'R1', kind: 'CPU', scenario: 'ingest-1', name: checked, floor: 'F0', limit: 0.18, stretch: 0.24 },
  { id: 'R2', kind: 'CPU', scenario: 'ingest-1', name: checked, floor: 'F1', limit: 0.7, stretch: 0.85 },
  { id: 'R3', kind: 'CPU', scenario: 'ingest-100', name: checked, floor: 'F0', limit: 0.4, stretch: 0.5 },
  { id: 'R3', kind: 'CPU', scenario: 'ingest-100', name: checked, floor: 'F1', limit: 0.7, stretch: 0.85 },
  ...accepted('ingest-1'),
  ...accepted('ingest-100'),
  {
    id: 'R5',
    kind: 'CPU',
    scenario: 'ingest-batches',
    name: 'CPU an event, checked by the hundred',
    floor: 'alone',
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
    floor: 'live',
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
    floor: 'page 1',
    limit: 1.5,
    stretch: 1.2,
  },
  {
    id: 'R10',
    kind: 'CPU',
    scenario: 'page-final',
    name: 'CPU of the queries',
    floor: 'no FINAL',
    limit: 2,
    stretch: 1.3,
  },
  { id: 'R11', kind: 'wall', scenario: 'csv', name: 'wall a row', floor: 'F5', limit: 0.65, stretch: 0.9 },
  // Of a row of 63 columns, some 700 bytes: Node takes several times 0.15 µs to pass it on and do nothing else.
  { id: 'R11', kind: 'CPU', scenario: 'csv', name: 'CPU a row, Node', floor: 'pipe', limit: 1.3, stretch: 1.1 },
  { id: 'R13', kind: 'latency', scenario: 'csv', name: 'first byte', floor: 'F5', limit: 1.5, plus: 20 },
  { id: 'R13', kind: 'CPU', scenario: 'csv-growth', name: 'peak memory, times that of a tenth', limit: 1.15 },
  { id: 'R13', kind: 'CPU', scenario: 'csv-growth', name: 'peak memory, more than of a tenth', limit: 64 },
  { id: '10×', kind: 'CPU', scenario: 'csv-growth', name: 'CPU a row', floor: 'F7', limit: 1.1 },
  ...['bulk-ndjson', 'bulk-json', 'bulk-csv'].flatMap(bulk),
  {
    id: 'R16',
    kind: 'CPU',
    scenario: 'ingest-again',
    name: 'CPU an event, sent again',
    floor: 'first',
    limit: 1.2,
    stretch: 0.8,
  },
  { id: 'R17', kind: 'CPU', scenario: 'auth', name: 'CPU of a request, API key', floor: 'open', limit: 1 / (1 - 0.08) },
  { id: 'R17', kind: 'CPU', scenario: 'auth', name: 'CPU of a request, token', floor: 'open', limit: 1 / (1 - 0.2) },
  { id: 'R18', kind: 'wall', scenario: 'overload', name: 'goodput of the peak', limit: 0.8, atLeast: true },
  { id: 'R18', kind: 'latency', scenario: 'overload', name: 'p95 of a refusal', limit: 50 },
  { id: 'R18', kind: 'CPU', scenario: 'overload', name: 'memory, times that at the peak', limit: 1.5 },
  { id: 'R18', kind: 'CPU', scenario: 'overload', name: 'accepted and lost', limit: 0 },
  {
    id: 'R19',
    kind: 'latency',
    scenario: 'freshness',
    name: 'p50 of accepted to visible',
    floor: 'flush',
    limit: 1,
    plus: 250,
  },
  {
    id: 'R19',
    kind: 'latency',
    scenario: 'freshness',
    name: 'p95 of accepted to visible',
    floor: 'flush',
    limit: 2,
    plus: 500,
  },
  { id: 'R20', kind: 'latency', scenario: 'restart', name: 'visible after kill -9, past the lease', limit: 5_000 },
  { id: 'R20', kind: 'latency', scenario: 'restart', name: 'clean stop', limit: 1_000 },
  { id: '10×', kind: 'CPU', scenario: 'growth-ingest', name: 'CPU an event', floor: 'F7', limit: 1.1 },
  { id: '10×', kind: 'latency', scenario: 'growth-ingest', name: 'p50 of a request', floor: 'F7', limit: 1.2 },
  ...['remembered', 'in the records'].map((where): Gate => {
    const name = `CPU of a look-up, ${where}`;
    return { id: '10×', kind: 'CPU', scenario: 'growth-keys', name, floor: 'F7', limit: 1.05 };
  }),
  { id: '10×', kind: 'CPU', scenario: 'growth-projection', name: 'CPU an event, live', floor: 'F7', limit: 1.15 },
  {
    id: '10×',
    kind: 'wall',
    scenario: 'growth-projection',
    name: 'wall an event, live',
    floor: 'F7',
    limit: 1.15,
  },
  { id: '10×', kind: 'CPU', scenario: 'growth-projection', name: 'most parts of a partition', limit: 300 },
  { id: '10×', kind: 'CPU', scenario: 'growth-projection', name: 'delayed or refused inserts', limit: 0 },
  ...grown('growth-page', 1.5),
  ...grown('growth-page-unmerged', 2.5),
];
