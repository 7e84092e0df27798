import { type Frame, idAtOf, link, flagsOf, messageStart } from '../log/index.ts';
import { recordedOf } from '../streams/index.ts';
import { varintBytes, writeVarint } from '../protobuf/varint.ts';
import { ProtobufReader } from '../protobuf/wire-reader.ts';
import { ProtobufWriter } from '../protobuf/wire-writer.ts';
import { structuredUuid } from './uuid.ts';

const timestamp = (target: ProtobufWriter, field: number): ProtobufWriter => {
  const now = Date.now();
  return target.message(field, (time) => time.uint(1, Math.floor(now / 1000)).uint(2, (now % 1000) * 1e6));
};

export const confirmation = (subscriptionId: string): Buffer =>
  new ProtobufWriter().message(2, (inner) => inner.text(1, subscriptionId)).finish();

export const checkpoint = (position: number): Buffer =>
  new ProtobufWriter().message(3, (inner) => timestamp(inner.uint(1, position).uint(2, position), 3)).finish();

export const streamNotFound = (stream: string): Buffer =>
  new ProtobufWriter().message(4, (inner) => inner.message(1, (identifier) => identifier.text(3, stream))).finish();

export const firstStreamPosition = (revision: number): Buffer => new ProtobufWriter().uint(5, revision).finish();

export const lastStreamPosition = (revision: number): Buffer => new ProtobufWriter().uint(6, revision).finish();

/** Says how far the subscription has come: a revision, or a position of $all, or nothing when it has seen no event. */
export const caughtUp = (seen: { readonly revision: number } | { readonly position: number } | undefined): Buffer =>
  new ProtobufWriter()
    .message(8, (inner) => {
      timestamp(inner, 1);
      if (!seen) return;
      if ('revision' in seen) inner.uint(2, seen.revision);
      else inner.message(3, (at) => at.uint(1, seen.position).uint(2, seen.position));
    })
    .finish();

/** A RecordedEvent as stored has its id first, as text; this one has it as two numbers. */
const withStructuredId = (frame: Frame): Buffer => {
  const recorded = recordedOf(frame);
  const reader = new ProtobufReader(recorded);
  reader.tag();
  reader.bytes();
  const idAt = messageStart(frame.at) + idAtOf(frame.bytes, frame.at);
  const id = frame.bytes.toString('latin1', idAt, idAt + 36);
  const idFieldBytes = 40;
  return Buffer.concat([new ProtobufWriter().bytes(1, structuredUuid(id)).finish(), recorded.subarray(idFieldBytes)]);
};

export const isLink = (frame: Frame): boolean => (flagsOf(frame.bytes, frame.at) & link) !== 0;

const field = (number: number, bytes: Buffer): Buffer => {
  const head = Buffer.allocUnsafe(1 + varintBytes(bytes.length));
  head[0] = number * 8 + 2;
  writeVarint(head, bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

/** A ReadResp made anew, for readers who want links resolved or ids in the other form. */
export const readEvent = (
  parts: { readonly event: Frame | undefined; readonly link: Frame | undefined },
  position: number,
  structuredIds: boolean,
): Buffer => {
  const recorded = structuredIds ? withStructuredId : recordedOf;
  const inner = [
    ...(parts.event ? [field(1, recorded(parts.event))] : []),
    ...(parts.link ? [field(2, recorded(parts.link))] : []),
    new ProtobufWriter().uint(3, position).finish(),
  ];
  return field(1, Buffer.concat(inner));
};
