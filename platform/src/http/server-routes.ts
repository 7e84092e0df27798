import { addDescriptionRoutes, type ServiceDescription } from '../openapi/index.ts';
import { type ProbeDependencies, probes } from './probes.ts';
import type { Route } from './route.ts';

export interface ServerRoutesDependencies extends ProbeDependencies {
  readonly routes: readonly Route[];
  /** Without it the server does not describe itself. */
  readonly description?: ServiceDescription | undefined;
}

/** Everything a server answers: its own routes, the probes, and the description of all of them. */
export const serverRoutes = ({ routes, description, ...parts }: ServerRoutesDependencies): readonly Route[] => {
  const all = [...routes, ...probes(parts)];
  return description ? addDescriptionRoutes(description, all) : all;
};
