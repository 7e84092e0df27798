import type { PopEvent } from '@popsvc/contracts/commands';
import { read } from '../architecture/tree.fixture.ts';

/** A published play with its content and hash. A mapped play also has the mapping and the event that it was made of. */
export interface ContentHashVector {
  readonly title: string;
  readonly mapping?: unknown;
  readonly event?: unknown;
  readonly play: PopEvent;
  readonly json: string;
  readonly contentHash: string;
}

export const contentHashVectors = (
  JSON.parse(read('docs/content-hashes.json')) as { readonly vectors: readonly ContentHashVector[] }
).vectors;
