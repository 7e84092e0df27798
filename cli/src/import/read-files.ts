import { Detection, type PopEvent } from '@popsvc/contracts/commands';
import { dropNulls } from '@popsvc/contracts/nulls';
import { compileMapping } from '@popsvc/domain/mappings';
import type { z } from 'zod';
import { readFileRows } from '../files/data-file.ts';
import { readShippedMapping } from '../mappings/mapping-file.ts';

type ParsedRow<Item> = { readonly item: Item; readonly id: string } | { readonly reason: string };

/** `row` counts from 1. */
export type NumberedRow<Item> = ParsedRow<Item> & { readonly row: number };

const formatIssues = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');

const parseDetection = (event: unknown): ParsedRow<Detection> => {
  const result = Detection.safeParse(dropNulls(Detection, event));
  return result.success ? { item: result.data, id: result.data.detectionId } : { reason: formatIssues(result.error) };
};

export async function* readDetections(path: string): AsyncGenerator<NumberedRow<Detection>> {
  for await (const read of readFileRows(path, 'ndjson'))
    yield { row: read.row, ...('error' in read ? { reason: read.error } : parseDetection(read.event)) };
}

/** The file is a CSV of the Outsmart Playout Reporting Standard. */
export async function* readPlayout(path: string): AsyncGenerator<NumberedRow<PopEvent>> {
  const mapping = await readShippedMapping('playout-digital');
  const mapRow = compileMapping(mapping);
  // Times in this format are UTC instants, so the time zones of the devices are not needed.
  const context = { receivedAtMs: Date.now(), zoneOf: (): undefined => undefined };
  for await (const read of readFileRows(path, 'csv', mapping)) {
    const { row } = read;
    if ('error' in read) yield { row, reason: read.error };
    else {
      const mapped = mapRow(read.event, context);
      yield 'play' in mapped
        ? { row, item: mapped.play, id: mapped.play.eventId }
        : { row, reason: mapped.unfit.reason };
    }
  }
}
