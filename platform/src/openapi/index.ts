export { addDescriptionRoutes } from './described-routes.ts';
export type { OperationGroup, ServiceDescription } from './description.ts';
export { buildOpenApiDocument, type OpenApiDocument, openApiPath } from './openapi-document.ts';
export { operationIdOf } from './operation-name.ts';
