import type { Route } from '@popsvc/platform/http';
import { completenessRoute } from '../completeness/completeness.route.ts';
import { analystsRoutes } from '../analysts/analysts.routes.ts';
import { apiKeyRoutes } from '../credentials/api-keys.routes.ts';
import { clientRoutes } from '../credentials/clients.routes.ts';
import { signingKeyRoutes } from '../credentials/signing-keys.routes.ts';
import { comeBackLater } from './come-back-later.ts';
import { doctorRoute } from '../diagnostics/index.ts';
import { devicesRoute } from '../devices/devices.route.ts';
import { eventRoutes } from '../events/events.routes.ts';
import { jobRoutes } from '../jobs/jobs.routes.ts';
import { liveRoute } from '../live/live.route.ts';
import { mappingsRoutes } from '../mappings/mappings.routes.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { outagesRoute } from '../outages/outages.route.ts';
import { overviewRoute } from '../overview/overview.route.ts';
import { parkedRoutes } from '../parked/parked.routes.ts';
import { pauseRoutes } from '../projections/pause.routes.ts';
import { projectionsRoutes } from '../projections/projections.routes.ts';
import { networksRoute } from '../registry/networks.route.ts';
import { registryLog } from '../registry/registry-log.ts';
import { registryRoutes } from '../registry/registry.routes.ts';
import { replaysRoutes } from '../replays/replays.routes.ts';
import { sessionRoutes } from '../session/session.routes.ts';

/** What operators may ask, all under `/ops/v1`. */
export const opsRoutes = (parts: OpsDependencies): readonly Route[] => {
  const known = registryLog(parts.store, parts.log);
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
  ].map(comeBackLater);
};
