export { addDescriptionRoutes } from './description-routes.ts';
export { type OperationGroup, operationIdOf, type ResponseExamples, type ServiceDescription } from './operation.ts';
export { buildOpenApiDocument, type OpenApiDocument } from './document.ts';
