export { createAnalystsProxy } from './analysts-proxy.ts';
export { openDurableRun, recordStop } from './durable-run.ts';
export { exitWithoutCleanup } from './engine.ts';
export { extractCode } from './query-code.ts';
export { type ClickHouseRole, clickHouseRoles, type SettingBound } from './roles.ts';
export type { ClickHouseUser } from './roles.ts';
export { clickHouseProcess } from './settings.ts';
