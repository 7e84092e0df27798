export {
  ConfigError,
  databaseUrl,
  eventStoreUrl,
  logLevel,
  natsUrl,
  port,
  readConfig,
  Secret,
  secret,
  url,
  wholeNumber,
} from './config.ts';
export { tracingVariables } from './tracing-variables.ts';
