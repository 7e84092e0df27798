export { ProjectorsConfig } from './config.ts';
