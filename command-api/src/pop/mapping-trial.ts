import { PopEvent } from '@popsvc/contracts/commands';
import { ApiError, maxErrorDetails } from '@popsvc/contracts/errors';
import { PLAY_REFERENCES, type PlayReference } from '@popsvc/contracts/responses';
import { QUARANTINE_CODES } from '@popsvc/contracts/vocabulary';
import { mappingInForce } from '@popsvc/domain/mappings';
import { knownIds, type Registry, screenZone } from '@popsvc/domain/registry';
import { z } from 'zod';
import type { Sender, ValidDescription } from '../intake/validation.ts';
import type { RegistryCache } from '../registry/registry-cache.ts';

const eventPath = z.string().describe('The event, such as `events[3]`.');

export const MappingTrial = z.object({
  mappingVersion: z
    .int()
    .nullable()
    .describe('Number of the registered mapping that was applied; null if none is registered for the schema version.'),
  quarantinedCount: z.int().min(0).describe('Events that would wait in quarantine.'),
  quarantined: z
    .array(
      z.object({
        path: eventPath,
        code: z.enum(QUARANTINE_CODES).describe('Why it would wait; as in GET /popsvc/v1/pop/quarantine.'),
        reason: z.string().describe('The field and its problem.'),
      }),
    )
    .describe(`The first ${maxErrorDetails} of them.`),
  plays: z
    .array(
      z.object({
        path: eventPath,
        play: PopEvent.describe('The play that the mapping makes of the event; `playedAt` is in UTC.'),
        unresolved: z
          .array(z.enum(PLAY_REFERENCES))
          .describe('Fields of the play whose id is not registered; as in GET /popsvc/v1/pop/events/{eventId}.'),
      }),
    )
    .describe(`The plays of the first ${maxErrorDetails} other events.`),
});
type MappingTrial = z.output<typeof MappingTrial>;

/** Applies the current mapping to the events of a request with `validate_only`. Throws UNAVAILABLE while the mappings are being read. */
export type TryMapping = (
  events: readonly unknown[],
  schemaVersion: string,
  sender: Sender,
) => Promise<ValidDescription>;

const noMapping = { code: 'no_mapping', reason: 'no mapping is registered for this schema version' } as const;

export const createMappingTrial =
  (
    { registry, mappings, requireReady }: Pick<RegistryCache, 'registry' | 'mappings' | 'requireReady'>,
    maxAgeDays: number | undefined,
  ): TryMapping =>
  async (events, schemaVersion, { network, vendor, receivedAtMs }) => {
    await requireReady().catch((cause: unknown) => {
      throw new ApiError('UNAVAILABLE', 'The mappings are still being read; try again.', { cause });
    });
    const mapping = mappingInForce(mappings, vendor, schemaVersion);
    const context = {
      receivedAtMs,
      maxAgeDays,
      zoneOf: (screen: string, atMs: number) => screenZone(registry, network, screen, atMs),
    };
    const findUnresolved = createUnresolvedFinder(registry, network);
    const quarantined: MappingTrial['quarantined'] = [];
    const plays: MappingTrial['plays'] = [];
    for (const [index, event] of events.entries()) {
      const path = `events[${index}]`;
      const result = mapping ? mapping.map(event, context) : { unfit: noMapping };
      if ('unfit' in result) quarantined.push({ path, ...result.unfit });
      else plays.push({ path, play: result.play, unresolved: findUnresolved(result.play) });
    }
    const fields: MappingTrial = {
      mappingVersion: mapping?.version ?? null,
      quarantinedCount: quarantined.length,
      quarantined: quarantined.slice(0, maxErrorDetails),
      plays: plays.slice(0, maxErrorDetails),
    };
    return { fields, message: describeFailures(quarantined.length, events.length) };
  };

const createUnresolvedFinder = (registry: Registry, network: number): ((play: PopEvent) => PlayReference[]) => {
  const known = PLAY_REFERENCES.map((field) => [field, knownIds(registry, network, field)] as const);
  return (play) => known.flatMap(([field, ids]) => (ids.has(play[field]) ? [] : [field]));
};

const describeFailures = (count: number, of: number): string =>
  count === 0 ? '' : `${count} of ${of} events would wait in quarantine, because no mapping can convert them to plays.`;
