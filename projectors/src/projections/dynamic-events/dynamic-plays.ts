import {
  type DynamicPopRecorded,
  MappingRegistered,
  QuarantineRetried,
  registryEventType,
} from '@popsvc/contracts/events';
import { emptyMappings, foldMapping, type Mappings } from '@popsvc/domain/mappings';
import type { Registry } from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { quarantine, receipts } from '@popsvc/read-models/tables';
import type { StateReload, AppliedAt } from '../../engine/projection.ts';
import { readEvent } from '../../engine/read-event.ts';
import { type Fitted, originOf, type SentEvent, sentEvent, tryMappings, type Waiting } from './map-event.ts';
import { askedPoint, devicePoint, mappingPoint, type RetryPoint, screenPoints } from './retry-points.ts';

/** How an event stands: waiting, or released as a play it once could not be. */
export const quarantineRow = (sent: SentEvent, waiting: Waiting, at: AppliedAt, fitted?: Fitted) => {
  const raw = JSON.stringify(sent.event);
  return {
    schema_version: sent.schemaVersion,
    tried_pos: at.position,
    tried_at: at.atMs,
    state: fitted ? 'released' : 'waiting',
    mapping_version: fitted?.version ?? 0,
    event_id: fitted?.play.eventId ?? waiting.eventId,
    code: waiting.code,
    reason: waiting.reason,
    screens: waiting.screens,
    raw,
    raw_bytes: Buffer.byteLength(raw),
    max_age_days: sent.maxAgeDays ?? null,
    job_id: sent.jobId,
    job_row: sent.jobRow,
    ...sent.source,
  } satisfies Record<keyof (typeof quarantine)['fields'], unknown>;
};

const hourMs = 3_600_000;

/** What the balance says of an event that waits; once it is released, a later version says what it became. */
const quarantinedReceipt = ({ source: { network_id, vendor, pos, received_at } }: SentEvent) =>
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
  }) satisfies Record<keyof (typeof receipts)['fields'], unknown>;

/** Events of vendors' own schemas as a projection sees them: which become plays at once, and where waiting ones are tried again. */
export const dynamicPlays = (registry: Registry) => {
  const known = { registry, mappings: emptyMappings() };
  const foldInto = (mappings: Mappings, event: LogEvent, knownFrom = event.position) => {
    if (event.type === MappingRegistered.type)
      foldMapping(mappings, readEvent(event) as MappingRegistered, event.position, knownFrom);
  };
  let points: RetryPoint[] = [];
  let quarantined = new Map<string, number>();
  const pointOf = (event: LogEvent, data: unknown): RetryPoint | undefined => {
    if (event.type === QuarantineRetried.type) return askedPoint(event, data as QuarantineRetried);
    if (event.type !== MappingRegistered.type) return devicePoint(registry, event, data);
    foldMapping(known.mappings, data as MappingRegistered, event.position);
    return mappingPoint(event, data as MappingRegistered);
  };
  return {
    known,
    recall: (event: LogEvent): void => foldInto(known.mappings, event),
    /** Once the registry was learned anew, too: what waits for what was missing is tried where that was asked for. */
    relearn(): StateReload {
      const mappings = emptyMappings();
      return {
        restore: (event, knownFrom) => foldInto(mappings, event, knownFrom),
        adopt(at, taken) {
          known.mappings = mappings;
          for (const event of taken)
            if (event.type === MappingRegistered.type)
              points.push({ ...mappingPoint(event, readEvent(event) as MappingRegistered), ...at });
          if (taken.some(({ type }) => registryEventType(type))) points.push(...screenPoints(registry, at));
        },
      };
    },
    /** A mapping, an event of the registry after it was folded, or that an operator asks for another look. */
    note(event: LogEvent, data: unknown): void {
      const point = pointOf(event, data);
      if (point) points.push(point);
    },
    /** The play an event is, else the rows that keep it waiting from where it was tried. */
    read(
      event: LogEvent,
      data: DynamicPopRecorded,
      at: AppliedAt = { position: event.position, atMs: event.recordedAtMs },
    ) {
      const sent = sentEvent(event, data);
      const tried = tryMappings(known, sent);
      if ('play' in tried) return { play: tried.play, origin: originOf(sent) };
      quarantined.set(tried.code, (quarantined.get(tried.code) ?? 0) + 1);
      return { quarantined: quarantineRow(sent, tried, at), receipt: quarantinedReceipt(sent) };
    },
    /** Since the last call: where waiting events are to be tried again, and how many began to wait, and why. */
    take(): { readonly points: readonly RetryPoint[]; readonly quarantined: ReadonlyMap<string, number> } {
      const taken = { points, quarantined };
      points = [];
      quarantined = new Map();
      return taken;
    },
  };
};
