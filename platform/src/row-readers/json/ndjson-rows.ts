import { linesOf } from '../lines.ts';
import { type Content, type Pieces, tooLong } from '../pieces.ts';
import { jsonRow } from './json-row.ts';

const [space, brace] = [0x20, 0x7b];
const isBlank = (line: Buffer): boolean => line[0] !== brace && line.every((byte) => byte <= space && byte !== 0);

/** One object a line. */
export async function* ndjsonRows(
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
): AsyncGenerator<Pieces<Content>, void, void> {
  for await (const { pieces, bytesRead } of linesOf(chunks, mostBytes)) {
    const contents: Content[] = [];
    for (const line of pieces)
      if (!line) contents.push(tooLong(mostBytes));
      else if (!isBlank(line)) contents.push(jsonRow(line));
    yield { pieces: contents, bytesRead };
  }
}
