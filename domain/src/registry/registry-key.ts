import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';

/**
 * The key of an entity among its kind, and of its stream. External ids are unique in a network only, and a creative names
 * its campaign, not its network: creatives need the network besides.
 */
export const registryKey = (kind: RegistryKind, entity: EntityOf<RegistryKind>, network?: number): string => {
  if (kind === 'metric_definitions') {
    const definition = entity as EntityOf<'metric_definitions'>;
    return `${definition.network}/${definition.version}`;
  }
  if ('id' in entity) return String(entity.id);
  if ('code' in entity) return entity.code;
  if (network === undefined) throw new Error('The key of a creative needs the network of its campaign');
  return `${network}/${(entity as EntityOf<'creatives'>).external_id}`;
};
