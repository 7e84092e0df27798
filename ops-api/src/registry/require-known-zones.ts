import { type ApiErrorDetail, ApiError } from '@popsvc/contracts/errors';
import type { RegistryFile } from '@popsvc/contracts/registry';
import { invalid } from '../checked.ts';

const zonesIn = (file: RegistryFile): (ApiErrorDetail & { readonly zone: string })[] =>
  (['networks', 'sites', 'devices'] as const).flatMap((kind) =>
    file[kind].flatMap(({ timezone: zone }, index) =>
      zone === undefined
        ? []
        : [{ zone, path: `${kind}[${index}].timezone`, message: `the reports cannot compute with the zone ${zone}` }],
    ),
  );

/** Refuses zones that this program knows and the engine of the reports does not: local times would fail there, or differ. */
export const requireKnownZones = async (
  file: RegistryFile,
  knownZones: () => Promise<ReadonlySet<string>>,
): Promise<void> => {
  const used = zonesIn(file);
  if (used.length === 0) return;
  const known = await knownZones().catch((cause: unknown) => {
    throw new ApiError('UNAVAILABLE', 'Which time zones the reports know cannot be told now; try again.', { cause });
  });
  const unknown = used.filter(({ zone }) => !known.has(zone));
  if (unknown.length > 0) throw invalid(unknown.map(({ path, message }) => ({ path, message })));
};
