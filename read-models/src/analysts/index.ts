export { analystViews, readsOwn } from './all.ts';
export { analystsDatabase } from './analysts-database.ts';
export { type AnalystColumn, type AnalystView, HOUSE, own } from './define-analyst-view.ts';
export { analystGrants } from './grants.table.ts';
export { type AnalystLimits, analystLimits, type Changeable } from './limits.ts';
export { createAnalystView, createOwnRows, createOwnView } from './analyst-ddl.ts';
