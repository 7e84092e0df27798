import { crc32 } from 'node:zlib';

/**
 * One record of the log. All numbers are little endian.
 *
 * | at | size | what |
 * |---|---|---|
 * | 0 | u32 | bytes of the body, which begins at 8 |
 * | 4 | u32 | crc32 of the body |
 * | 8 | u32 | number of the stream |
 * | 12 | u8 | flags |
 * | 13 | u8 | where the 36 characters of the event id begin, counted from the message |
 * | 14 | u16 | where the length of the event type stands, counted from the message |
 * | 16 | f64 | created, milliseconds since 1970 |
 * | 24 | f64 | revision |
 * | 32 | | the message: the finished answer of a read, in protobuf |
 * | end-4 | u32 | bytes of the whole frame, so that the log can be walked backwards |
 */
export const frameHeaderBytes = 32;
export const frameTrailerBytes = 4;
const bodyAt = 8;
const smallestFrame = frameHeaderBytes + frameTrailerBytes;

/** Written on the last frame of an append; what follows the last one of these was never acknowledged. */
export const endOfAppend = 1;
export const tombstone = 2;
/** Holds no event: the trace of an append of nothing. */
export const noEvent = 4;
/** The event points at another one (`$>`). */
export const link = 8;
/** The content type is application/json. */
export const json = 16;

export interface FrameHeader {
  readonly streamNo: number;
  readonly flags: number;
  readonly idAt: number;
  readonly typeAt: number;
  readonly createdMs: number;
  readonly revision: number;
}

/** A frame where it lies: the bytes around it and its offset in them. */
export interface Frame {
  readonly bytes: Buffer;
  readonly at: number;
}

/** Writes header and trailer around a message that already stands at `at + frameHeaderBytes`. */
export const closeFrame = (bytes: Buffer, at: number, messageBytes: number, header: FrameHeader): void => {
  const length = frameHeaderBytes + messageBytes + frameTrailerBytes;
  bytes.writeUInt32LE(length - bodyAt - frameTrailerBytes, at);
  bytes.writeUInt32LE(header.streamNo, at + 8);
  bytes.writeUInt8(header.flags, at + 12);
  bytes.writeUInt8(header.idAt, at + 13);
  bytes.writeUInt16LE(header.typeAt, at + 14);
  bytes.writeDoubleLE(header.createdMs, at + 16);
  bytes.writeDoubleLE(header.revision, at + 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(at + bodyAt, at + length - frameTrailerBytes)), at + 4);
  bytes.writeUInt32LE(length, at + length - frameTrailerBytes);
};

/** Length the frame at `at` claims to have, or 0 when not even its length is there. */
export const claimedLength = (bytes: Buffer, at: number): number =>
  at + bodyAt > bytes.length ? 0 : bytes.readUInt32LE(at) + bodyAt + frameTrailerBytes;

/** Length of the frame at `at` if it is whole and unharmed before `end`, else 0. */
export const wholeLength = (bytes: Buffer, at: number, end: number): number => {
  if (at + smallestFrame > end) return 0;
  const length = claimedLength(bytes, at);
  if (length < smallestFrame || at + length > end) return 0;
  const trailer = at + length - frameTrailerBytes;
  if (bytes.readUInt32LE(trailer) !== length) return 0;
  return crc32(bytes.subarray(at + bodyAt, trailer)) === bytes.readUInt32LE(at + 4) ? length : 0;
};

export const frameLength = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at) + bodyAt + frameTrailerBytes;
export const flagsOf = (bytes: Buffer, at: number): number => bytes.readUInt8(at + 12);
export const streamNoOf = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at + 8);
export const createdMsOf = (bytes: Buffer, at: number): number => bytes.readDoubleLE(at + 16);
export const revisionOf = (bytes: Buffer, at: number): number => bytes.readDoubleLE(at + 24);
export const idAtOf = (bytes: Buffer, at: number): number => bytes.readUInt8(at + 13);
export const typeAtOf = (bytes: Buffer, at: number): number => bytes.readUInt16LE(at + 14);
export const messageStart = (at: number): number => at + frameHeaderBytes;
export const messageEnd = (bytes: Buffer, at: number): number => at + frameLength(bytes, at) - frameTrailerBytes;
