import { crc32 } from 'node:zlib';

/**
 * One record of the log. All numbers are little endian.
 *
 * | offset | size | content |
 * |---|---|---|
 * | 0 | u32 | length of the body, which begins at offset 8 |
 * | 4 | u32 | CRC-32 of the body |
 * | 8 | u32 | stream number |
 * | 12 | u8 | flags |
 * | 13 | u8 | offset of the event id (36 characters) in the message |
 * | 14 | u16 | offset of the event type's length prefix in the message |
 * | 16 | f64 | creation time, milliseconds since 1970 |
 * | 24 | f64 | revision |
 * | 32 | | the message: an encoded protobuf read response |
 * | end-4 | u32 | length of the whole frame, for backward reads |
 */
export const frameHeaderBytes = 32;
export const frameTrailerBytes = 4;
const bodyAt = 8;
const smallestFrame = frameHeaderBytes + frameTrailerBytes;

/**
 * Marks the last frame of an append. After a crash, all frames that follow the last marked frame belong to an append that was never
 * acknowledged.
 */
export const endOfAppendFlag = 1;
export const tombstoneFlag = 2;
/** Marks a frame without an event. Such a frame records an append that contained no events. */
export const noEventFlag = 4;
/** Marks a link (`$>`) to another event. */
export const linkFlag = 8;
/** Marks an event whose content type is application/json. */
export const jsonFlag = 16;

export interface FrameHeader {
  readonly streamNo: number;
  readonly flags: number;
  readonly idOffset: number;
  readonly typeOffset: number;
  readonly createdMs: number;
  readonly revision: number;
}

/** A frame inside a larger buffer, at offset `at`. */
export interface Frame {
  readonly bytes: Buffer;
  readonly at: number;
}

/** Writes the header and the trailer around a message that is already at `at + frameHeaderBytes`. */
export const finishFrame = (bytes: Buffer, at: number, messageBytes: number, header: FrameHeader): void => {
  const length = frameHeaderBytes + messageBytes + frameTrailerBytes;
  bytes.writeUInt32LE(length - bodyAt - frameTrailerBytes, at);
  bytes.writeUInt32LE(header.streamNo, at + 8);
  bytes.writeUInt8(header.flags, at + 12);
  bytes.writeUInt8(header.idOffset, at + 13);
  bytes.writeUInt16LE(header.typeOffset, at + 14);
  bytes.writeDoubleLE(header.createdMs, at + 16);
  bytes.writeDoubleLE(header.revision, at + 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(at + bodyAt, at + length - frameTrailerBytes)), at + 4);
  bytes.writeUInt32LE(length, at + length - frameTrailerBytes);
};

/** Returns the length of the frame at `at` according to its length field, unchecked; 0 if fewer than 8 bytes are left. */
export const readClaimedLength = (bytes: Buffer, at: number): number =>
  at + bodyAt > bytes.length ? 0 : bytes.readUInt32LE(at) + bodyAt + frameTrailerBytes;

/** Returns the length of the frame at `at` if the frame is complete before `end` and its checksum is correct, else 0. */
export const validFrameLength = (bytes: Buffer, at: number, end: number): number => {
  if (at + smallestFrame > end) return 0;
  const length = readClaimedLength(bytes, at);
  if (length < smallestFrame || at + length > end) return 0;
  const trailer = at + length - frameTrailerBytes;
  if (bytes.readUInt32LE(trailer) !== length) return 0;
  return crc32(bytes.subarray(at + bodyAt, trailer)) === bytes.readUInt32LE(at + 4) ? length : 0;
};

export const frameLength = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at) + bodyAt + frameTrailerBytes;
export const readFlags = (bytes: Buffer, at: number): number => bytes.readUInt8(at + 12);
export const readStreamNo = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at + 8);
export const readCreatedMs = (bytes: Buffer, at: number): number => bytes.readDoubleLE(at + 16);
export const readRevision = (bytes: Buffer, at: number): number => bytes.readDoubleLE(at + 24);
export const readIdOffset = (bytes: Buffer, at: number): number => bytes.readUInt8(at + 13);
export const readTypeOffset = (bytes: Buffer, at: number): number => bytes.readUInt16LE(at + 14);
export const messageStart = (at: number): number => at + frameHeaderBytes;
export const messageEnd = (bytes: Buffer, at: number): number => at + frameLength(bytes, at) - frameTrailerBytes;
