export { applyRegistryEvent } from './apply-registry-event.ts';
