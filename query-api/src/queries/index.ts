export { appIntervalsQuery } from './app-intervals.query.ts';
export { type AppOnDevice, beatRunsQuery, type RunsWanted } from './beat-runs.query.ts';
export { dayCountsQuery, type TimeRange, touchedDaysQuery } from './day-counts.query.ts';
export { deviceQuery } from './device.query.ts';
export { downloadQuery } from './download.query.ts';
export {
  coffeeOfPlayQuery,
  type EventAsked,
  playReceiptsQuery,
  quarantinedReceiptsQuery,
} from './event-feedback.query.ts';
export { incompleteTablesQuery } from './incomplete-tables.query.ts';
export { metricDefinitionsQuery } from './metric-definitions.query.ts';
export { pageQuery } from './page.query.ts';
export { networksQuery, type PlaceKind, placesQuery } from './places.query.ts';
export { progressQuery } from './progress.query.ts';
export type { Extent } from './report-rows.ts';
export { type StatusAsked, statusQueries } from './status.query.ts';
export { totalQuery } from './total.query.ts';
