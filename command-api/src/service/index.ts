export { CommandApiConfig } from './config.ts';
export { type CommandApiParts, createCommandApi, type UploadSettings } from './create-command-api.ts';
export { commandApiDescription } from './description.ts';
