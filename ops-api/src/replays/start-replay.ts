import { ApiError } from '@popsvc/contracts/errors';
import { planReplay, planRollback, readGenerations, type Postgres, type ReplayRecord } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import { noSuchProjection } from '../projections/no-such-projection.ts';

export interface StartParts {
  readonly postgres: Postgres;
  readonly declarations: readonly ProjectionDeclaration[];
}

const required = (declarations: readonly ProjectionDeclaration[], name: string): ProjectionDeclaration => {
  const projection = declarations.find((each) => each.name === name);
  if (projection) return projection;
  throw noSuchProjection(name);
};

const busy = (name: string): ApiError =>
  new ApiError('CONFLICT', `Readers of ${name} are being brought to another generation already; see the replays.`);

/** A build that knows less would have readers go back to what it knows. */
const older = (name: string, version: number, live: number): ApiError =>
  new ApiError(
    'CONFLICT',
    `${name} was built by version ${live} of the projection, and this build knows version ${version}: ask an ops server of the newer build.`,
  );

/** What is live, and that it needs no replay. */
export interface NoNeed {
  readonly generation: number;
  readonly version: number;
}

/** Plans a replay; what is live where it was built by a version newer than `fromVersion`. Refuses what would know less. */
export const startReplay = async (
  { postgres, declarations }: StartParts,
  name: string,
  { verify, fromVersion }: { readonly verify: boolean; readonly fromVersion: number | undefined },
): Promise<{ readonly planned: ReplayRecord } | { readonly noNeed: NoNeed }> => {
  const { version } = required(declarations, name);
  const known = await readGenerations(postgres);
  const live = known.find(({ projection, state }) => projection === name && state === 'live');
  if (live && fromVersion !== undefined && live.version > fromVersion) return { noNeed: live };
  if (live && live.version > version) throw older(name, version, live.version);
  const planned = await planReplay(postgres, { projection: name, version, verify });
  if (!planned) throw busy(name);
  return { planned };
};

/** Plans to bring readers back to the generation before. */
export const startRollback = async ({ postgres, declarations }: StartParts, name: string): Promise<ReplayRecord> => {
  required(declarations, name);
  const planned = await planRollback(postgres, name);
  if (planned === 'none')
    throw new ApiError('CONFLICT', `No generation of ${name} is kept that readers could go back to.`);
  if (planned === 'busy') throw busy(name);
  return planned;
};
