export { QueryApiConfig } from './config.ts';
export { createQueryApi, type QueryApiParts } from './create-query-api.ts';
export { queryApiDescription } from './description.ts';
export { providerOf } from './provider-of.ts';
