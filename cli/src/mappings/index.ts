export { readFileRows } from '../files/data-file.ts';
export { readMapping, readShippedMapping } from './mapping-file.ts';
