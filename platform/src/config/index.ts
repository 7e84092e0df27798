export { databaseUrl, eventStoreUrl, logLevel, natsUrl, port, url, wholeNumber } from './fields.ts';
export { ConfigError, readConfig } from './read-config.ts';
export { Secret, secret } from './secret.ts';
export { tracingVariables } from './tracing-variables.ts';
