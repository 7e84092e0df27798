export { analystGrants, analystQueryPrefix, analystViews, createAnalystView, PROXY_USER } from './analyst-ddl.ts';
export {
  type AnalystColumn,
  analystsDatabase,
  analystsShardDatabase,
  type AnalystView,
  schemaRelations,
} from './analyst-view.ts';
export { type AnalystLimits, analystLimits, type SettingRange } from './limits.ts';
