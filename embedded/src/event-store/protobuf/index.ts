export { ProtobufReader } from './wire-reader.ts';
export { ProtobufWriter } from './wire-writer.ts';
