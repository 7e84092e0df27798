export { applyRegistryEvent } from './fold-logged.ts';
