export { WireReader } from './wire-reader.ts';
export { WireWriter } from './wire-writer.ts';
