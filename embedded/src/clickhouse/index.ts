export { createQueryLimiter, type QueryLimiter, type ReleasePermit } from './query-limiter.ts';
export { type ClickHouseRole, clickHouseRoles, type RoleDefinition, type SettingBound } from './roles.ts';
export { buildClickHouseEnv, clickHouseEntry, type ClickHouseSettings, type ClickHouseUser } from './settings.ts';
