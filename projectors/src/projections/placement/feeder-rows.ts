import type { feederPlaces } from '@popsvc/read-models/tables';
import type { FeederSegment } from '@popsvc/domain/registry';
import { versionOf } from './place-row.ts';

type Segments = ReadonlyMap<number, readonly FeederSegment[]>;
type FeederRow = Record<keyof (typeof feederPlaces)['fields'], unknown>;

/** Rows for the segments that are new or name another device, and tombstones under those that are no more. */
export const feederRows = (network: number, was: Segments, is: Segments, upTo: bigint): FeederRow[] => {
  const rows: FeederRow[] = [];
  for (const feeder of new Set([...was.keys(), ...is.keys()])) {
    const [before, after] = [was.get(feeder) ?? [], is.get(feeder) ?? []];
    const holds = (segments: readonly FeederSegment[], { validFromMs, deviceId }: FeederSegment) =>
      segments.some((segment) => segment.validFromMs === validFromMs && segment.deviceId === deviceId);
    const add = (segments: readonly FeederSegment[], alive: boolean) => {
      for (const { validFromMs, deviceId } of segments)
        rows.push({
          network_id: network,
          feeder_id: feeder,
          valid_from: validFromMs,
          device_id: deviceId,
          ...versionOf(upTo, alive),
        });
    };
    add(
      after.filter((segment) => !holds(before, segment)),
      true,
    );
    add(
      before.filter((segment) => !holds(after, segment)),
      false,
    );
  }
  return rows;
};
