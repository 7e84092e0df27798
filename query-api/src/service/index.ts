export { QueryApiConfig } from './config.ts';
export { createQueryApi, type QueryApiDependencies } from './create-query-api.ts';
export { createReadModelsCheck } from './readiness-checks.ts';
export { allRoutes, queryApiDescription } from './routes.ts';
