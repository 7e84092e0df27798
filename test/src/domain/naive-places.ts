import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { toWeeklyHours } from '@popsvc/domain/business-hours';
import type { Applied } from './registry-arbitraries.ts';

interface Held<Kind extends RegistryKind> {
  readonly entity: EntityOf<Kind>;
  readonly fromMs: number;
  readonly position: number;
}

/** Places at an instant, read from the whole log each time: a slow and simple specification. */
export const naivePlaces = (log: readonly Applied[], networkId: number) => {
  const versionsOf = <Kind extends RegistryKind>(kind: Kind, key: string): Held<Kind>[] =>
    log
      .filter((change) => change.kind === kind && change.key === key)
      .map(({ data, atMs, position }, index) => {
        const entity = data as EntityOf<Kind> & { effective_from?: string };
        const from = entity.effective_from === undefined ? atMs : Date.parse(entity.effective_from);
        return { entity, fromMs: index === 0 ? -Infinity : from, position };
      });

  const held = <Kind extends RegistryKind>(kind: Kind, key: number, atMs: number): Held<Kind> | undefined => {
    let best: Held<Kind> | undefined;
    for (const version of versionsOf(kind, String(key)))
      if (version.fromMs <= atMs && (!best || version.fromMs >= best.fromMs)) best = version;
    return best;
  };

  const devices = [...new Set(log.filter(({ kind }) => kind === 'devices').map(({ key }) => Number(key)))];
  const siteOf = (device: EntityOf<'devices'>, atMs: number) => {
    const location = held('locations', device.location, atMs)!.entity;
    return { location, site: held('sites', location.site, atMs)!.entity };
  };
  const mine = devices.filter(
    (id) => siteOf(held('devices', id, -Infinity)!.entity, -Infinity).site.network === networkId,
  );

  const unknown = (atMs: number) => ({
    validFromMs: 0,
    known: false,
    deviceId: 0,
    locationId: 0,
    siteId: 0,
    siteTz: held('networks', networkId, atMs)!.entity.timezone,
    deviceTz: '',
    opens: [],
    closes: [],
  });

  const device = (id: number, atMs: number) => {
    const { entity } = held('devices', id, atMs)!;
    const { location, site } = siteOf(entity, atMs);
    const zones = { siteTz: site.timezone, deviceTz: entity.timezone ?? site.timezone };
    return {
      validFromMs: 0,
      known: true,
      deviceId: id,
      locationId: location.id,
      siteId: site.id,
      ...zones,
      ...toWeeklyHours(site.business_hours),
    };
  };

  const holder = (screen: string, atMs: number): number | undefined => {
    const listing = mine
      .map((id) => ({ id, version: held('devices', id, atMs)!, first: versionsOf('devices', String(id))[0]!.position }))
      .filter(({ version: { entity } }) => !entity.retired && entity.screen_ids.includes(screen));
    const latest = Math.max(...listing.map(({ version }) => version.fromMs));
    const last = listing.filter(({ version }) => version.fromMs === latest);
    return last.sort((a, b) => a.first - b.first)[0]?.id;
  };

  const screen = (id: string, atMs: number) => {
    const changes = mine.flatMap((key) => versionsOf('devices', String(key)).map(({ fromMs }) => fromMs));
    const earlier = [...changes, -Infinity].filter((fromMs) => fromMs <= atMs);
    const listed = earlier.some((fromMs) => holder(id, fromMs) !== undefined);
    const next = changes.filter((fromMs) => fromMs > atMs).sort((a, b) => a - b);
    const listedMs = listed ? atMs : next.find((fromMs) => holder(id, fromMs) !== undefined);
    const found = listedMs === undefined ? undefined : holder(id, listedMs);
    return found === undefined ? unknown(atMs) : device(found, atMs);
  };

  return { mine, screen, device };
};
