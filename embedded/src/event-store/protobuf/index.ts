export { ProtobufReader, ProtobufWriter } from './wire-format.ts';
