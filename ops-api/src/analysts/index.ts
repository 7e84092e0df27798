export { createAnalystLogins, type AnalystLogins, type LoginStatus } from './analyst-logins.ts';
export { runGrantSync } from './keep-grants.ts';
export { analystRole, roleStatements, userStatements } from './login-sql.ts';
export { operatorAnalyst, syncGrants } from './tell-grants.ts';
