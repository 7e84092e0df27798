export {
  isKnownZone,
  listOffsetRanges,
  type OffsetAt,
  type OffsetRange,
  timeZoneVersion,
  toLocalMs,
  zoneNames,
  zoneOffset,
} from './zones.ts';
