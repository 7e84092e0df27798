import { ApiError } from '@popsvc/contracts/errors';
import { RegistryFile } from '@popsvc/contracts/registry';
import { emptyRegistry, foldRegistry, type PlannedChange, planRegistry, type Registry } from '@popsvc/domain/registry';
import fc from 'fast-check';

/** Few instants close together, so that changes coincide. */
export const instantMs = fc.integer({ min: -2, max: 12 }).map((day) => day * 86_400_000);

const life = {
  effective_from: fc.option(
    instantMs.map((ms) => new Date(ms).toISOString()),
    { nil: undefined },
  ),
};
const retired = fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant(true) });
const zone = fc.constantFrom('Europe/London', 'Asia/Kathmandu', 'Australia/Lord_Howe');
const hours = fc.constantFrom(undefined, {}, { mon: ['08:00-12:00'] }, { sun: ['20:00-04:00'] });
const screens = fc.subarray(['a', 'b', 'c', 'd']);

const network = fc
  .record({ id: fc.constantFrom(1, 2), timezone: zone })
  .map(({ id, ...rest }) => ({ id, name: `N${id}`, ...rest }));
const site = fc
  .record({ id: fc.constantFrom(1, 2, 3), timezone: zone, business_hours: hours, retired, ...life })
  .map((it) => ({ ...it, name: `S${it.id}`, network: it.id === 3 ? 2 : 1 }));
const location = fc
  .record({ id: fc.constantFrom(1, 2, 3), site: fc.constantFrom(1, 2, 3), ...life })
  .map((it) => ({ ...it, name: `L${it.id}` }));
const device = fc
  .record({
    id: fc.constantFrom(1, 2, 3, 4),
    location: fc.constantFrom(1, 2, 3),
    timezone: fc.option(zone, { nil: undefined }),
    screen_ids: screens,
    retired,
    ...life,
  })
  .map((it) => ({ ...it, name: `D${it.id}` }));

const one = fc.oneof(
  { weight: 1, arbitrary: network.map((it) => ({ networks: [it] })) },
  { weight: 2, arbitrary: site.map((it) => ({ sites: [it] })) },
  { weight: 2, arbitrary: location.map((it) => ({ locations: [it] })) },
  { weight: 5, arbitrary: device.map((it) => ({ devices: [it] })) },
);

const ground = RegistryFile.parse({
  networks: [1, 2].map((id) => ({ id, name: `N${id}`, timezone: 'Europe/London' })),
  sites: [1, 3].map((id) => ({ id, name: `S${id}`, network: id === 3 ? 2 : 1, timezone: 'Europe/London' })),
  locations: [1, 3].map((id) => ({ id, name: `L${id}`, site: id })),
  devices: [],
});

const waited = fc.tuple(fc.nat(2), one).map(([waitDays, file]) => ({ waitDays, file: RegistryFile.parse(file) }));

/** Files applied one after another, each some days after the previous one. */
export const files = fc
  .array(waited, { minLength: 1, maxLength: 14 })
  .map((later) => [{ waitDays: 0, file: ground }, ...later]);

export interface Applied extends PlannedChange {
  readonly atMs: number;
  readonly position: number;
}

/** Undefined for a refused file. */
const planned = (registry: Registry, file: RegistryFile, nowMs: number): PlannedChange[] | undefined => {
  try {
    return planRegistry(registry, file, { nowMs }).changes;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};

/** Applies files, and returns the registry after each; refused files change nothing. */
export const applyAll = (
  all: readonly { waitDays: number; file: RegistryFile }[],
  after: (registry: Registry, file: RegistryFile) => void = () => undefined,
): { registry: Registry; log: Applied[]; refused: number } => {
  const registry = emptyRegistry();
  const log: Applied[] = [];
  let [atMs, refused] = [0, 0];
  for (const { waitDays, file } of all) {
    atMs += waitDays * 86_400_000;
    const changes = planned(registry, file, atMs);
    if (!changes) {
      refused += 1;
      continue;
    }
    for (const change of changes) {
      const applied = { ...change, atMs, position: log.length + 1 };
      log.push(applied);
      foldRegistry(registry, applied);
    }
    after(registry, file);
  }
  return { registry, log, refused };
};
