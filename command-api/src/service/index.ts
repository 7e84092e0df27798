export { CommandApiConfig } from './config.ts';
export { type CommandApiParts, createCommandApi } from './create-command-api.ts';
