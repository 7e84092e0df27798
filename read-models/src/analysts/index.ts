export { analystViews, isReadByAnalysts } from './all.ts';
export { analystsDatabase } from './analysts-database.ts';
export { type AnalystColumn, type AnalystView, TABLES_DATABASE, ownRows } from './define-analyst-view.ts';
export { analystGrants } from './grants.table.ts';
export { type AnalystLimits, analystLimits, type SettingRange } from './limits.ts';
export { createAnalystView, createOwnRowsOfTable, createOwnRowsOfView } from './analyst-ddl.ts';
