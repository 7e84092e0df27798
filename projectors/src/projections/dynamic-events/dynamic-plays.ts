import { MappingRegistered, QuarantineRetried, type RecordedDynamicPlay } from '@popsvc/contracts/events';
import { emptyMappings, foldMapping } from '@popsvc/domain/mappings';
import { ownsNetwork, type Partition } from '@popsvc/domain/partitioning';
import type { Registry } from '@popsvc/domain/registry';
import type { quarantine, receipts } from '@popsvc/read-models/tables';
import { type LogItem, readItem } from '../../engine/log-items.ts';
import type { AppliedAt } from '../../engine/projection.ts';
import type { RowOf } from '../rows/fact-rows.ts';
import {
  type DynamicEvent,
  dynamicEventOf,
  mapDynamicEvent,
  type MappedPlay,
  originOf,
  type WaitReason,
} from './map-event.ts';
import { type RetryPoint, retryPointOfDevice, retryPointOfMapping, retryPointOfRequest } from './retry-points.ts';

export const quarantineRow = (dynamicEvent: DynamicEvent, reason: WaitReason, at: AppliedAt, mapped?: MappedPlay) => {
  const raw = JSON.stringify(dynamicEvent.event);
  return {
    schema_version: dynamicEvent.schemaVersion,
    tried_pos: at.sequence,
    tried_at: at.atMs,
    state: mapped ? 'released' : 'waiting',
    mapping_version: mapped?.version ?? 0,
    event_id: mapped?.play.eventId ?? reason.eventId,
    code: reason.code,
    reason: reason.reason,
    screens: reason.screens,
    raw,
    raw_bytes: Buffer.byteLength(raw),
    max_age_days: dynamicEvent.maxAgeDays ?? null,
    job_id: dynamicEvent.jobId,
    job_row: dynamicEvent.jobRow,
    ...dynamicEvent.source,
  } satisfies RowOf<typeof quarantine>;
};

const hourMs = 3_600_000;

/** When the event is released, a row with a higher version replaces this receipt. */
const quarantinedReceipt = ({ source: { network_id, vendor, pos, received_at } }: DynamicEvent) =>
  ({
    network_id,
    vendor,
    hour: Math.floor(received_at / hourMs) * hourMs,
    pos,
    outcome: 'quarantined',
    event_id: '',
    late: 0,
    clock_ahead: 0,
    version: pos,
  }) satisfies RowOf<typeof receipts>;

/** `registry`: the fold's registry, with the time zones of screens. Retry points: items at which waiting events are retried. */
export const createDynamicPlays = (registry: Registry, partition: Partition) => {
  const mappingState = { registry, mappings: emptyMappings() };
  let retryPoints: RetryPoint[] = [];
  let quarantined = new Map<string, number>();

  const applyAndFindPoint = (item: LogItem, data: unknown): RetryPoint | undefined => {
    if (item.type === QuarantineRetried.type) return retryPointOfRequest(item, data as QuarantineRetried);
    if (item.type !== MappingRegistered.type) return retryPointOfDevice(registry, item, data);
    foldMapping(mappingState.mappings, data as MappingRegistered, item.sequence);
    return retryPointOfMapping(item, data as MappingRegistered);
  };

  return {
    mappingState,
    restore(item: LogItem): void {
      if (item.type === MappingRegistered.type)
        foldMapping(mappingState.mappings, readItem(item) as MappingRegistered, item.sequence);
    },
    /** Fold a registry event into `registry` first. */
    apply(item: LogItem, data: unknown): void {
      const point = applyAndFindPoint(item, data);
      if (point && ownsNetwork(partition, point.network)) retryPoints.push(point);
    },
    read(
      item: LogItem,
      data: RecordedDynamicPlay,
      at: AppliedAt = { sequence: item.sequence, atMs: item.recordedAtMs },
    ) {
      const dynamicEvent = dynamicEventOf(item, data);
      const result = mapDynamicEvent(mappingState, dynamicEvent);
      if ('play' in result) return { play: result.play, origin: originOf(dynamicEvent, result) };
      quarantined.set(result.code, (quarantined.get(result.code) ?? 0) + 1);
      return { quarantined: quarantineRow(dynamicEvent, result, at), receipt: quarantinedReceipt(dynamicEvent) };
    },
    takeBatch(): {
      readonly retryPoints: readonly RetryPoint[];
      readonly quarantined: ReadonlyMap<string, number>;
    } {
      const batch = { retryPoints, quarantined };
      retryPoints = [];
      quarantined = new Map();
      return batch;
    },
  };
};
