export { fileRows, formatOf } from './file-rows.ts';
export { readMapping } from './read-mapping.ts';
export { shippedMapping } from './shipped-mapping.ts';
export { type SampleReport, trySample } from './try-sample.ts';
