import { describedRoutes, type ServiceDescription } from '../openapi/index.ts';
import { type ProbeParts, probes } from './probes.ts';
import type { Route } from './route.ts';

export interface ServerRoutesParts extends ProbeParts {
  readonly routes: readonly Route[];
  /** Without it the server does not describe itself. */
  readonly description?: ServiceDescription | undefined;
}

/** Everything a server answers: its own routes, the probes, and the description of all of them. */
export const serverRoutes = ({ routes, description, ...parts }: ServerRoutesParts): readonly Route[] => {
  const all = [...routes, ...probes(parts)];
  return description ? describedRoutes(description, all) : all;
};
