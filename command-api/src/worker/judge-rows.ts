import { MappingRegistered, mappingStream } from '@popsvc/contracts/events';
import { instantMs } from '@popsvc/contracts/time';
import type { Job } from '@popsvc/domain/bulk';
import {
  emptyMappings,
  foldMapping,
  mappingInForce,
  type MappingVersion,
  mappingVersions,
} from '@popsvc/domain/mappings';
import { type Registry, screenZone } from '@popsvc/domain/registry';
import type { EventStore } from '@popsvc/platform/event-store';
import type { CsvColumns } from '@popsvc/platform/row-readers';
import type { RowJudge } from './chunk-rows.ts';
import type { JobInLog } from './job-in-log.ts';

/** The mapping the first attempt found in force; for the first attempt, the one in force now. */
export const mappingOf = async (
  store: Pick<EventStore, 'readStream'>,
  { vendor, mappingVersion, queued: { schemaVersion } }: Job,
): Promise<MappingVersion | undefined> => {
  const mappings = emptyMappings();
  for await (const { type, data, metadata, position } of store.readStream(mappingStream(vendor)))
    if (type === MappingRegistered.type)
      foldMapping(mappings, MappingRegistered.read(data, metadata.schemaVersion), position);
  if (mappingVersion === undefined) return mappingInForce(mappings, vendor, schemaVersion);
  return mappingVersions(mappings, vendor, schemaVersion).find(({ version }) => version === mappingVersion);
};

/** A mapping with columns is for files without header, unless the vendor says that this one has one. */
export const columnsOf = ({ queued: { metadata } }: Job, mapping: MappingVersion | undefined): CsvColumns => {
  const header = metadata?.['header'];
  if (header === true) return 'header';
  return mapping?.mapping.columns ?? (header === false ? 'numbered' : 'header');
};

/** Whether the mapping can turn a row into a play; without a mapping every row is fine for now. */
export const judgeOf = (
  { job, queued }: JobInLog,
  mapping: MappingVersion | undefined,
  registry: Registry,
): RowJudge['unfit'] => {
  if (!mapping) return () => undefined;
  const surroundings = {
    receivedAtMs: instantMs(queued.metadata.receivedAt)!,
    maxAgeDays: job.queued.maxAgeDays,
    zoneOf: (screen: string, atMs: number) => screenZone(registry, job.network, screen, atMs),
  };
  return (event) => {
    const mapped = mapping.map(event, surroundings);
    return 'unfit' in mapped ? mapped.unfit.reason : undefined;
  };
};
