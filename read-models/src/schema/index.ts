export {
  ensureTimeZones,
  readTimeZoneVersion,
  timeZoneDictionary,
  timeZones,
  timeZonesEndMs,
} from '../time-zones/time-zones.ts';
export { createDictionary, dictionaries, reloadDictionaries, selectRegistryState } from '../registry/dictionaries.ts';
