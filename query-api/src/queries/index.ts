export { asOfQuery } from './as-of.query.ts';
export { csvQuery } from './csv.query.ts';
export {
  coffeeOfPlayQuery,
  type EventAsked,
  playReceiptsQuery,
  quarantinedReceiptsQuery,
} from './event-feedback.query.ts';
export { metricDefinitionsQuery } from './metric-definitions.query.ts';
export { pageQuery } from './page.query.ts';
export { networksQuery, sitesQuery } from './places.query.ts';
export type { Extent } from './report-rows.ts';
export { totalQuery } from './total.query.ts';
