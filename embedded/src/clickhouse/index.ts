import { fileURLToPath } from 'node:url';

export { type Bound, type Role, type RoleDefinition, roles } from './roles.ts';
export { type EndTurn, type Turns, turns } from './turns.ts';
export { clickHouseEnv, type ClickHouseSettings, type ClickHouseUser } from './settings.ts';

/** The process to start with `clickHouseEnv`; it prints a ready line with its port. */
export const clickHouseEntry = fileURLToPath(new URL('./main.js', import.meta.url));
