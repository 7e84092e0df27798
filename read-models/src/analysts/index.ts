export { analystGrants, analystQueryPrefix, analystViews, createAnalystView, PROXY_USER } from './analyst-ddl.ts';
export {
  type AnalystColumn,
  analystsDatabase,
  analystsShardDatabase,
  type AnalystView,
  schemaRelations,
} from './analyst-view.ts';
export { datasetColumns } from './dataset-columns.ts';
export { type AnalystError, analystErrors } from './errors.ts';
export { type AnalystLimits, analystLimits, type SettingRange } from './limits.ts';
