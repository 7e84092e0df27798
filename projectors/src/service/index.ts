export { ProjectorsConfig } from './config.ts';
export { createProjectors } from './create-projectors.ts';
