import type { PopEvent } from '@popsvc/contracts/commands';
import { compileMapping } from '@popsvc/domain/mappings';
import { fileRows } from '../mappings/file-rows.ts';
import { shippedMapping } from '../mappings/shipped-mapping.ts';
import type { Numbered } from './read.ts';

/** Its times are in UTC, whatever the screen's clock says. */
const noZone = (): undefined => undefined;

/** The plays of a digital playout file, row by row, by the mapping that comes with the service. */
export async function* readPlayout(path: string): AsyncGenerator<Numbered<PopEvent>> {
  const mapping = await shippedMapping('playout-digital');
  const map = compileMapping(mapping);
  const surroundings = { receivedAtMs: Date.now(), zoneOf: noZone };
  for await (const read of fileRows(path, 'csv', mapping)) {
    const { row } = read;
    if ('error' in read) yield { row, reason: read.error };
    else {
      const mapped = map(read.event, surroundings);
      yield 'play' in mapped
        ? { row, item: mapped.play, id: mapped.play.eventId }
        : { row, reason: mapped.unfit.reason };
    }
  }
}
