export { CommandApiConfig } from './config.ts';
export { type CommandApiDependencies, createCommandApi, type UploadSettings } from './create-command-api.ts';
export { allRoutes, commandApiDescription, type RouteDependencies } from './routes.ts';
