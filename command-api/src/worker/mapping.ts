import { type BulkIngestQueued, MappingRegistered, mappingStream } from '@popsvc/contracts/events';
import { instantMs } from '@popsvc/contracts/time';
import {
  emptyMappings,
  foldMappingEvent,
  mappingInForce,
  type MappingVersion,
  mappingVersions,
} from '@popsvc/domain/mappings';
import { type Registry, screenZone } from '@popsvc/domain/registry';
import type { EventStore } from '@popsvc/platform/event-store';
import type { CsvColumns } from '@popsvc/platform/row-readers';
import type { LoggedJob } from './job-log.ts';
import type { RowRules } from './rows.ts';

interface MappingKey {
  readonly vendor: string;
  readonly schemaVersion: string;
  /** Undefined: the latest version; null: no mapping. */
  readonly version?: number | null | undefined;
}

/** Returns undefined if there is no readable mapping. */
export const findMapping = async (
  store: Pick<EventStore, 'readStream'>,
  { vendor, schemaVersion, version: wanted }: MappingKey,
): Promise<MappingVersion | undefined> => {
  const mappings = emptyMappings();
  for await (const event of store.readStream(mappingStream(vendor)))
    if (event.type === MappingRegistered.type) foldMappingEvent(mappings, event);
  if (wanted === undefined) return mappingInForce(mappings, vendor, schemaVersion);
  return mappingVersions(mappings, vendor, schemaVersion).find(({ version }) => version === wanted);
};

/** A mapping with columns means a file without a header row, unless the ingest request says that there is one. */
export const chooseColumns = (
  metadata: BulkIngestQueued['metadata'],
  mapping: MappingVersion | undefined,
): CsvColumns => {
  const header = metadata?.['header'];
  if (header === true) return 'header';
  return mapping?.mapping.columns ?? (header === false ? 'numbered' : 'header');
};

/** Without a mapping, every row is accepted. */
export const createDefectCheck = (
  { job, queued }: LoggedJob,
  mapping: MappingVersion | undefined,
  registry: Registry,
): RowRules['findDefect'] => {
  if (!mapping) return () => undefined;
  const context = {
    receivedAtMs: instantMs(queued.metadata.receivedAt)!,
    maxAgeDays: job.queued.maxAgeDays,
    zoneOf: (screen: string, atMs: number) => screenZone(registry, job.network, screen, atMs),
  };
  return (event) => {
    const mapped = mapping.map(event, context);
    return 'unfit' in mapped ? mapped.unfit.reason : undefined;
  };
};
