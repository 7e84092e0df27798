export { ProjectorsConfig } from './config.ts';
export { opsDescription } from './description.ts';
