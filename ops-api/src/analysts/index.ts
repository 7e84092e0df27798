export { type AnalystLogins, createAnalystLogins, type LoginStatus, roleStatements, userStatements } from './logins.ts';
export { operatorAnalyst, runGrantSync, syncGrants } from './grants.ts';
