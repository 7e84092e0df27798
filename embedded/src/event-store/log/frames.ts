import { crc32 } from 'node:zlib';

/**
 * A frame is one record of the log. All numbers are little endian.
 *
 * | offset | size | content |
 * |---|---|---|
 * | 0 | u32 | CRC-32 of everything that follows, with an initial value derived from the frame's log position |
 * | 4 | u32 | length of the whole frame |
 * | 8 | u32 | stream number |
 * | 12 | u8 | flags |
 * | 13 | u8 | offset of the event id (36 characters) in the message |
 * | 14 | u16 | offset of the event type's length prefix in the message |
 * | 16 | f64 | creation time, milliseconds since 1970 |
 * | 24 | f64 | revision |
 * | 32 | | the message: an encoded protobuf read response, or other bytes in a frame without an event |
 * | end-4 | u32 | length of the whole frame, for backward reads |
 *
 * The checksum depends on the position, so a frame that was copied or moved to another place is invalid there.
 */
export const frameHeaderBytes = 32;
export const frameTrailerBytes = 4;
const checkedFrom = 4;
export const smallestFrame = frameHeaderBytes + frameTrailerBytes;

/** Marks the last frame of an append. After a crash, frames behind the last marked one were never acknowledged. */
export const endOfAppendFlag = 1;
export const tombstoneFlag = 2;
/** Marks a frame without an event: see `encodeEmptyAppend`, `encodeGroupMarker` and `encodeGap`. */
export const noEventFlag = 4;
export const linkFlag = 8;
export const jsonFlag = 16;
export const groupFlag = 32;
const gapFlag = 64;

export interface FrameHeader {
  readonly streamNo: number;
  readonly flags: number;
  readonly idOffset: number;
  readonly typeOffset: number;
  readonly createdMs: number;
  readonly revision: number;
}

export interface Frame {
  readonly bytes: Buffer;
  readonly at: number;
}

const seedOf = (position: number): number =>
  (position ^ Math.imul(Math.floor(position / 0x1_0000_0000), 0x9e37_79b1)) >>> 0;

const checksum = (bytes: Buffer, at: number, length: number, position: number): number =>
  crc32(bytes.subarray(at + checkedFrom, at + length), seedOf(position));

/** The message must already be at `at + frameHeaderBytes`. */
export const finishFrame = (
  bytes: Buffer,
  at: number,
  messageBytes: number,
  position: number,
  header: FrameHeader,
): void => {
  const length = smallestFrame + messageBytes;
  bytes.writeUInt32LE(length, at + 4);
  bytes.writeUInt32LE(header.streamNo, at + 8);
  bytes.writeUInt8(header.flags, at + 12);
  bytes.writeUInt8(header.idOffset, at + 13);
  bytes.writeUInt16LE(header.typeOffset, at + 14);
  bytes.writeDoubleLE(header.createdMs, at + 16);
  bytes.writeDoubleLE(header.revision, at + 24);
  bytes.writeUInt32LE(length, at + length - frameTrailerBytes);
  bytes.writeUInt32LE(checksum(bytes, at, length, position), at);
};

const noEvent = { streamNo: 0, idOffset: 0, typeOffset: 0, revision: 0 };

export const encodeEmptyAppend = (position: number, createdMs: number): Buffer => {
  const bytes = Buffer.alloc(smallestFrame);
  finishFrame(bytes, 0, 0, position, { ...noEvent, flags: endOfAppendFlag | noEventFlag, createdMs });
  return bytes;
};

export const groupMarkerBytes = smallestFrame + 8;

/**
 * Encodes the first frame of a group of appends. Invalid bytes before `durableEnd`, up to which the log was synced, are damage and not a
 * torn write.
 */
export const encodeGroupMarker = (position: number, durableEnd: number, createdMs: number): Buffer => {
  const bytes = Buffer.alloc(groupMarkerBytes);
  bytes.writeDoubleLE(durableEnd, frameHeaderBytes);
  finishFrame(bytes, 0, 8, position, { ...noEvent, flags: noEventFlag | groupFlag, createdMs });
  return bytes;
};

export const readMarkedDurableEnd = (bytes: Buffer, at: number): number => bytes.readDoubleLE(at + frameHeaderBytes);

/** A gap consists of frames of at most this size, so that reading across it needs little memory. */
const largestGapFrame = 256 * 1024;

/** `length` must be at least `smallestFrame`. */
export const encodeGap = (position: number, length: number, createdMs: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length;) {
    const left = length - at;
    const frame = left <= largestGapFrame ? left : Math.min(largestGapFrame, left - smallestFrame);
    const flags = endOfAppendFlag | noEventFlag | gapFlag;
    finishFrame(bytes, at, frame - smallestFrame, position + at, { ...noEvent, flags, createdMs });
    at += frame;
  }
  return bytes;
};

/** The length field is not checked; 0 if fewer than 8 bytes are left. */
export const readClaimedLength = (bytes: Buffer, at: number): number =>
  at + 8 > bytes.length ? 0 : bytes.readUInt32LE(at + 4);

/** Returns 0 unless the frame is complete before `end` and its checksum is correct. */
export const validFrameLength = (bytes: Buffer, at: number, end: number, position: number): number => {
  if (at + smallestFrame > end) return 0;
  const length = readClaimedLength(bytes, at);
  if (length < smallestFrame || at + length > end) return 0;
  if (bytes.readUInt32LE(at + length - frameTrailerBytes) !== length) return 0;
  return checksum(bytes, at, length, position) === bytes.readUInt32LE(at) ? length : 0;
};

export const frameLength = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at + 4);
export const readFlags = (bytes: Buffer, at: number): number => bytes.readUInt8(at + 12);
export const readStreamNo = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at + 8);
export const readCreatedMs = (bytes: Buffer, at: number): number => bytes.readDoubleLE(at + 16);
export const readRevision = (bytes: Buffer, at: number): number => bytes.readDoubleLE(at + 24);
export const readIdOffset = (bytes: Buffer, at: number): number => bytes.readUInt8(at + 13);
export const readTypeOffset = (bytes: Buffer, at: number): number => bytes.readUInt16LE(at + 14);
export const messageStart = (at: number): number => at + frameHeaderBytes;
export const messageEnd = (bytes: Buffer, at: number): number => at + frameLength(bytes, at) - frameTrailerBytes;
