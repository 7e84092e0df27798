export { analystLogins, type AnalystLogins, type LoginStanding } from './analyst-logins.ts';
export { keepGrants } from './keep-grants.ts';
export { keepAnalystViews, mendAnalystViews } from './keep-views.ts';
export { analystRole, roleStatements, userStatements } from './login-sql.ts';
export { houseAnalyst, tellGrants } from './tell-grants.ts';
export { ensureAnalysts } from '../schema/ensure-analysts.ts';
