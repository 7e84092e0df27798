import { openPiece, type Pieces } from './pieces.ts';

const lineFeed = 0x0a;

/** A carriage return before the line feed is no part of what the line says. */
export const withoutReturn = (line: Buffer): Buffer => (line.at(-1) === 0x0d ? line.subarray(0, -1) : line);

/** Lines without their line feed, empty ones too; undefined stands for one that is too long. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
): AsyncGenerator<Pieces<Buffer | undefined>, void, void> {
  const line = openPiece(mostBytes + 1);
  const close = (last: Buffer): Buffer | undefined => {
    const whole = line.close(last);
    return whole && withoutReturn(whole).length > mostBytes ? undefined : whole;
  };
  let bytesRead = 0;
  for await (const chunk of chunks) {
    bytesRead += chunk.length;
    const pieces: (Buffer | undefined)[] = [];
    let at = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, at)) {
      pieces.push(close(chunk.subarray(at, end)));
      at = end + 1;
    }
    line.add(chunk.subarray(at));
    yield { pieces, bytesRead };
  }
  if (line.isOpen()) yield { pieces: [close(Buffer.alloc(0))], bytesRead };
}
