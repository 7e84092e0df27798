import type { PopsvcClient } from '@popsvc/client';
import { parse } from 'csv-parse';

export interface LinesWish {
  readonly network: string;
  readonly from: string;
  readonly to: string;
}

/** The rows of a coffee download, as a partner reads them while they come; the first holds the names of the columns. */
export async function* coffeeLines(client: PopsvcClient, wish: LinesWish): AsyncGenerator<readonly string[]> {
  const { body } = await client.streamCoffee(wish);
  const lines = parse();
  // A transfer that is cut must not look like a short file.
  body.once('error', (error) => lines.destroy(error)).pipe(lines);
  yield* lines as AsyncIterable<readonly string[]>;
}
