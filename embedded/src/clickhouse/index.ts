import { fileURLToPath } from 'node:url';

export { type SettingBound, type ClickHouseRole, type RoleDefinition, clickHouseRoles } from './roles.ts';
export { type ReleasePermit, type QueryLimiter, createQueryLimiter } from './turns.ts';
export { buildClickHouseEnv, type ClickHouseSettings, type ClickHouseUser } from './settings.ts';

/** The process to start with `clickHouseEnv`; it prints a ready line with its port. */
export const clickHouseEntry = fileURLToPath(new URL('./main.js', import.meta.url));
