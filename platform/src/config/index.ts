export { address, databaseUrl, eventStoreUrl, logLevel, natsUrl, port, whole } from './fields.ts';
export { ConfigError, readConfig } from './read-config.ts';
export { Secret, secret } from './secret.ts';
