export { analystLogins, type AnalystLogins, type LoginStanding } from './analyst-logins.ts';
export { keepGrants } from './keep-grants.ts';
export { analystRole, roleStatements, userStatements } from './login-sql.ts';
export { houseAnalyst, tellGrants } from './tell-grants.ts';
