export {
  analystGrants,
  analystViews,
  createAnalystView,
  createOwnRowsOfTable,
  createOwnRowsOfView,
  isReadByAnalysts,
} from './analyst-ddl.ts';
export { type AnalystColumn, analystsDatabase, type AnalystView, TABLES_DATABASE } from './analyst-view.ts';
export { type AnalystLimits, analystLimits, type SettingRange } from './limits.ts';
