export {
  analystGrants,
  analystQueryPrefix,
  analystViews,
  createAnalystView,
  createOwnRowsOfTable,
  createOwnRowsOfView,
  isReadByAnalysts,
  PROXY_USER,
} from './analyst-ddl.ts';
export {
  type AnalystColumn,
  analystsDatabase,
  analystsShardDatabase,
  type AnalystView,
  schemaRelations,
  TABLES_DATABASE,
} from './analyst-view.ts';
export { type AnalystLimits, analystLimits, type SettingRange } from './limits.ts';
