import { type Frame, idAtOf, messageEnd, messageStart, typeAtOf } from '../log/index.ts';
import { ProtobufReader } from '../protobuf/wire-reader.ts';
import { readLength } from '../protobuf/varint.ts';

/** The event's id, without decoding the event. */
export const idOf = ({ bytes, at }: Frame): string => {
  const from = messageStart(at) + idAtOf(bytes, at);
  return bytes.toString('latin1', from, from + 36);
};

/** The event's type, without decoding the event. */
export const typeOf = ({ bytes, at }: Frame): string => {
  const { value, next } = readLength(bytes, messageStart(at) + typeAtOf(bytes, at));
  return bytes.toString('utf8', next, next + value);
};

/** The RecordedEvent inside a stored message, as bytes. */
export const recordedOf = ({ bytes, at }: Frame): Buffer => {
  const message = new ProtobufReader(bytes, messageStart(at), messageEnd(bytes, at));
  message.tag();
  const readEvent = message.message();
  readEvent.tag();
  return readEvent.bytes();
};

/** One field of the RecordedEvent; empty when it is not there. */
const bytesOf = (frame: Frame, field: number): Buffer => {
  const recorded = new ProtobufReader(recordedOf(frame));
  for (let tag = recorded.tag(); tag !== 0; tag = recorded.tag()) {
    if (tag === field * 8 + 2) return recorded.bytes();
    recorded.skip(tag);
  }
  return Buffer.alloc(0);
};

export const dataOf = (frame: Frame): Buffer => bytesOf(frame, 8);

export const streamNameOf = (frame: Frame): string => {
  const identifier = new ProtobufReader(bytesOf(frame, 2));
  identifier.tag();
  return identifier.text();
};
