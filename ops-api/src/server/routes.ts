import { ApiError } from '@popsvc/contracts/errors';
import { EventStoreUnavailable } from '@popsvc/platform/event-store';
import type { Route } from '@popsvc/platform/http';
import { isPostgresUnavailable } from '@popsvc/platform/postgres';
import { DeadlineExceeded } from '@popsvc/platform/runtime';
import { analystsRoutes } from '../analysts/routes.ts';
import { completenessRoute } from '../completeness/routes.ts';
import { apiKeyRoutes } from '../credentials/api-keys.routes.ts';
import { clientRoutes } from '../credentials/clients.routes.ts';
import { signingKeyRoutes } from '../credentials/signing-keys.routes.ts';
import { devicesRoute } from '../devices/routes.ts';
import { doctorRoute } from '../diagnostics/index.ts';
import { eventRoutes } from '../events/events.routes.ts';
import { jobRoutes } from '../jobs/routes.ts';
import { liveRoute } from '../live/routes.ts';
import { mappingsRoutes } from '../mappings/routes.ts';
import type { OpsDependencies } from '../dependencies.ts';
import { outagesRoute } from '../outages/routes.ts';
import { overviewRoute } from '../overview/routes.ts';
import { parkedRoutes } from '../parked/routes.ts';
import { pauseRoutes, projectionsRoutes } from '../projections/routes.ts';
import { networksRoute, registryRoutes } from '../registry/routes.ts';
import { createRegistryLog } from '../registry/registry-log.ts';
import { replaysRoutes } from '../replays/routes.ts';
import { sessionRoutes } from '../session/routes.ts';

const isUnavailableError = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable || error instanceof DeadlineExceeded || isPostgresUnavailable(error);

/** Converts errors of unreachable stores to 503; repeating such a request is safe. */
const withUnavailableError = (route: Route): Route => ({
  ...route,
  async handle(asked) {
    try {
      return await route.handle(asked);
    } catch (error) {
      if (error instanceof ApiError || !isUnavailableError(error)) throw error;
      throw new ApiError('UNAVAILABLE', 'A store does not answer now; try again.', { cause: error });
    }
  },
});

/** All routes of the operations API, under `/ops/v1`. */
export const opsRoutes = (parts: OpsDependencies): readonly Route[] => {
  const known = createRegistryLog(parts.store, parts.log);
  return [
    ...sessionRoutes(parts),
    overviewRoute(parts),
    liveRoute(parts),
    ...registryRoutes(parts, known),
    networksRoute(known),
    ...apiKeyRoutes(parts.postgres, known),
    ...clientRoutes(parts.postgres, known),
    ...signingKeyRoutes(parts.postgres),
    ...analystsRoutes(parts, known),
    ...eventRoutes(parts, known),
    ...jobRoutes(parts, known),
    ...mappingsRoutes(parts, known),
    devicesRoute(parts, known),
    outagesRoute(parts, known),
    completenessRoute(parts, known),
    ...projectionsRoutes(parts),
    ...pauseRoutes(parts),
    ...parkedRoutes(parts),
    ...replaysRoutes(parts),
    doctorRoute(parts),
  ].map(withUnavailableError);
};
