import { noParameters, parseQuery } from '@popsvc/http-kit/server';
import { ApiError } from '@popsvc/contracts/errors';
import { type EventStore, EventStoreUnavailable } from '@popsvc/platform/event-store';
import type { Route } from '@popsvc/http-kit/server';
import { isPostgresUnavailable } from '@popsvc/platform/postgres';
import { DeadlineExceeded } from '@popsvc/platform/runtime';
import { type AccountsDependencies, accountsRoutes } from '../accounts/routes.ts';
import { type AnalystsDependencies, analystsRoutes } from '../analysts/routes.ts';
import { auditedRoute } from '../audit/audited-route.ts';
import { auditRoute } from '../audit/routes.ts';
import { clusterRoute, type ClusterDependencies } from '../cluster/routes.ts';
import { type CompletenessDependencies, completenessRoute } from '../completeness/routes.ts';
import { apiKeyRoutes } from '../credentials/api-keys.ts';
import { clientRoutes } from '../credentials/clients.ts';
import { signingKeyRoutes, type SigningKeysDependencies } from '../credentials/signing-keys.ts';
import { type DevicesDependencies, devicesRoute } from '../devices/routes.ts';
import { deviceTimelineRoute } from '../devices/timeline.ts';
import { type DoctorDependencies, doctorRoute } from '../diagnostics/routes.ts';
import { type BalanceDependencies, balanceRoute } from '../events/balance.ts';
import { conflictsRoute } from '../events/conflicts.ts';
import { showEventRoute } from '../events/event-lookup.ts';
import { quarantineRoutes } from '../events/quarantine.ts';
import { refusalsRoute } from '../events/refusals.ts';
import { type JobsDependencies, jobRoutes } from '../jobs/routes.ts';
import { mappingsRoutes } from '../mappings/routes.ts';
import type { MappingsDependencies } from '../mappings/vendor-mappings.ts';
import { networkSummariesRoute } from '../networks/routes.ts';
import { type OutagesDependencies, outagesRoute } from '../outages/routes.ts';
import { type OverviewDependencies, overviewRoute } from '../overview/overview.ts';
import type { ParkedDecisionDependencies } from '../parked/decisions.ts';
import { parkedRoutes } from '../parked/routes.ts';
import { type FormerSetsDependencies, formerSetsRoutes } from '../projections/former-sets.ts';
import { pauseRoutes, type ProjectionsDependencies, projectionsRoutes } from '../projections/routes.ts';
import type { RegistryDependencies } from '../registry/apply-registry.ts';
import { networksRoute, registryRoutes } from '../registry/routes.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { type ReplaysDependencies, replaysRoutes } from '../replays/routes.ts';
import { type SessionDependencies, sessionRoutes } from '../session/routes.ts';
import { webhooksRoutes, type WebhooksDependencies } from '../webhooks/routes.ts';
import { unknownReferencesRoute, type UnknownReferencesDependencies } from '../unknown-references/routes.ts';

const nameUnavailableStore = (error: unknown): string | undefined => {
  if (error instanceof EventStoreUnavailable) return 'The event store';
  if (error instanceof DeadlineExceeded) return 'A store';
  return isPostgresUnavailable(error) ? 'PostgreSQL' : undefined;
};

const withUnavailableError = (route: Route): Route => ({
  ...route,
  async handle(request) {
    try {
      return await route.handle(request);
    } catch (error) {
      const store = error instanceof ApiError ? undefined : nameUnavailableStore(error);
      if (store === undefined) throw error;
      throw new ApiError('UNAVAILABLE', `${store} does not answer; try again.`, { cause: error });
    }
  },
});

/** A route without parameters would silently ignore a misspelled parameter. */
const withoutParameters = (route: Route): Route =>
  route.schemas?.query === noParameters
    ? {
        ...route,
        handle(request) {
          parseQuery(noParameters, request.query);
          return route.handle(request);
        },
      }
    : route;

export interface OpsDependencies
  extends
    AccountsDependencies,
    AnalystsDependencies,
    BalanceDependencies,
    ClusterDependencies,
    CompletenessDependencies,
    DevicesDependencies,
    DoctorDependencies,
    FormerSetsDependencies,
    JobsDependencies,
    MappingsDependencies,
    OutagesDependencies,
    OverviewDependencies,
    ParkedDecisionDependencies,
    ProjectionsDependencies,
    RegistryDependencies,
    ReplaysDependencies,
    SessionDependencies,
    SigningKeysDependencies,
    UnknownReferencesDependencies,
    WebhooksDependencies {
  readonly store: EventStore;
  readonly registryLog: RegistryLog;
}

export const opsRoutes = (dependencies: OpsDependencies): readonly Route[] => {
  const { registryLog } = dependencies;
  return (
    [
      ...sessionRoutes(dependencies),
      overviewRoute(dependencies),
      ...registryRoutes(dependencies, registryLog),
      networksRoute(registryLog),
      networkSummariesRoute(dependencies, registryLog),
      ...apiKeyRoutes(dependencies.postgres, registryLog),
      ...clientRoutes(dependencies.postgres, registryLog),
      ...signingKeyRoutes(dependencies),
      ...analystsRoutes(dependencies, registryLog),
      showEventRoute(dependencies),
      conflictsRoute(dependencies, registryLog),
      ...quarantineRoutes(dependencies, registryLog),
      balanceRoute(dependencies, registryLog),
      refusalsRoute(dependencies, registryLog),
      unknownReferencesRoute(dependencies, registryLog),
      ...jobRoutes(dependencies, registryLog),
      ...mappingsRoutes(dependencies, registryLog),
      ...webhooksRoutes(dependencies, registryLog),
      devicesRoute(dependencies, registryLog),
      deviceTimelineRoute(dependencies),
      outagesRoute(dependencies, registryLog),
      completenessRoute(dependencies, registryLog),
      ...projectionsRoutes(dependencies),
      ...pauseRoutes(dependencies),
      ...formerSetsRoutes(dependencies),
      ...parkedRoutes(dependencies),
      ...replaysRoutes(dependencies),
      clusterRoute(dependencies),
      ...accountsRoutes(dependencies),
      auditRoute(dependencies),
      doctorRoute(dependencies),
    ]
      // Routes that viewers may use change nothing, whatever their method is.
      .map((route) =>
        route.method === 'get' || route.access === 'viewer' ? route : auditedRoute(dependencies.store, route),
      )
      .map((route) => withUnavailableError(withoutParameters(route)))
  );
};
