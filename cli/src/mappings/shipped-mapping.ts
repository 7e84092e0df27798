import { fileURLToPath } from 'node:url';
import type { Mapping } from '@popsvc/contracts/mappings';
import { readMapping } from './read-mapping.ts';

/** One of the mappings that come with the service, by the name of its file under docs/mappings. */
export const shippedMapping = (name: 'playout-digital'): Promise<Mapping> =>
  readMapping(fileURLToPath(new URL(`../../../docs/mappings/${name}.yaml`, import.meta.url)));
