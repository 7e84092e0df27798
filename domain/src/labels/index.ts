export { inZone } from './in-zone.ts';
export { type Labels, labelsOf, localTimestamp } from './labels.ts';
