import { Mapping } from '@popsvc/contracts/mappings';
import { type MappingResult, mapEvent, type MappingContext } from '@popsvc/domain/mappings';

export const received = Date.parse('2026-09-15T00:00:00.000Z');

export const surroundings = (zone: string | undefined): MappingContext => ({
  receivedAtMs: received,
  zoneOf: () => zone,
});

export const inLondon = surroundings('Europe/London');

/** A mapping of a flat event with some fields replaced; null removes a field. */
export const mappingWith = (fields: Readonly<Record<string, unknown>> = {}, others: object = {}): Mapping =>
  Mapping.parse({
    vendor: 'acme',
    schema_version: 'flat-1',
    ...others,
    fields: Object.fromEntries(
      Object.entries<unknown>({
        eventId: { path: 'id' },
        screenId: { path: 'screen' },
        campaignId: { path: 'campaign' },
        creativeId: { path: 'asset' },
        playedAt: { path: 'start' },
        duration: { path: 'length' },
        ...fields,
      }).filter(([, source]) => source !== null),
    ),
  });

/** An event that the mapping above converts. */
export const eventWith = (fields: object = {}): object => ({
  id: 'p-1',
  screen: 's-1',
  campaign: 'c-1',
  asset: 'a-1',
  start: '2026-09-14T10:00:00.000Z',
  length: 10_000,
  ...fields,
});

/** The play this event becomes. */
export const playWith = (fields: object = {}): object => ({
  eventId: 'p-1',
  screenId: 's-1',
  campaignId: 'c-1',
  creativeId: 'a-1',
  playedAt: '2026-09-14T10:00:00.000Z',
  durationMs: 10_000,
  ...fields,
});

interface Case {
  readonly mapping?: Readonly<Record<string, unknown>>;
  readonly event?: object;
  readonly zone?: string | undefined;
}

export const mapped = ({ mapping, event, ...given }: Case): MappingResult =>
  mapEvent(mappingWith(mapping), eventWith(event), surroundings('zone' in given ? given.zone : 'Europe/London'));

/** Code and reason of an event that cannot be mapped; of a play, the play. */
export const unfit = (given: Case): object => {
  const outcome = mapped(given);
  return 'unfit' in outcome ? outcome.unfit : outcome.play;
};
