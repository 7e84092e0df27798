export { queryPage, queryTotal, type RowSelection } from './report-queries.ts';
export { createRowCounter } from './row-counts.ts';
