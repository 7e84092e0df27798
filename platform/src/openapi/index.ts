export { describedRoutes } from './described-routes.ts';
export type { Chapter, ServiceDescription } from './description.ts';
export { openApiDocument, type OpenApiDocument, pathText } from './openapi-document.ts';
export { operationName } from './operation-name.ts';
