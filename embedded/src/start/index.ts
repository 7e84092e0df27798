export { StartConfig } from './config.ts';
