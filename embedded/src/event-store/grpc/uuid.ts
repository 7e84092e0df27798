import { type ProtobufReader } from '../protobuf/wire-reader.ts';
import { ProtobufWriter } from '../protobuf/wire-writer.ts';

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const textOf = (most: bigint, least: bigint): string => {
  const hex =
    BigInt.asUintN(64, most).toString(16).padStart(16, '0') + BigInt.asUintN(64, least).toString(16).padStart(16, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** An id from the wire, in either form, as lower-case text; undefined when it is none. */
export const readUuid = (uuid: ProtobufReader): string | undefined => {
  let text = '';
  for (let tag = uuid.tag(); tag !== 0; tag = uuid.tag()) {
    if (tag === 18) text = uuid.text().toLowerCase();
    else if (tag === 10) text = readStructured(uuid.message());
    else uuid.skip(tag);
  }
  return form.test(text) ? text : undefined;
};

const readStructured = (structured: ProtobufReader): string => {
  let most = 0n;
  let least = 0n;
  for (let tag = structured.tag(); tag !== 0; tag = structured.tag()) {
    if (tag === 8) most = structured.bigint();
    else if (tag === 16) least = structured.bigint();
    else structured.skip(tag);
  }
  return textOf(most, least);
};

/** The same id in the form of two 64-bit numbers. */
export const structuredUuid = (text: string): Buffer => {
  const hex = text.replaceAll('-', '');
  return new ProtobufWriter()
    .message(1, (structured) => {
      structured.uint(1, BigInt(`0x${hex.slice(0, 16)}`)).uint(2, BigInt(`0x${hex.slice(16)}`));
    })
    .finish();
};
