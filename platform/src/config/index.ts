export { address, databaseUrl, eventStoreUrl, logLevel, port, whole } from './fields.ts';
export { ConfigError, readConfig } from './read-config.ts';
export { Secret, secret } from './secret.ts';
