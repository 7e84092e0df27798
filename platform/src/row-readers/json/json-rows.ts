import { type Content, type Pieces, tooLong } from '../pieces.ts';
import { elementsOf, isBlank } from './elements.ts';
import { jsonRow } from './json-row.ts';

const rowOf = (piece: Buffer | undefined, mostBytes: number): Content => {
  if (!piece) return tooLong(mostBytes);
  return isBlank(piece) ? { error: 'is missing: there is a comma too many' } : jsonRow(piece);
};

/** One array of objects. */
export async function* jsonRows(
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
): AsyncGenerator<Pieces<Content>, void, void> {
  for await (const { pieces, bytesRead } of elementsOf(chunks, mostBytes))
    yield { pieces: pieces.map((piece) => rowOf(piece, mostBytes)), bytesRead };
}
