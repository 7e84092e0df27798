import { projectionNames } from '@popsvc/read-models/generations';
import type { ListedProjection } from '../ops-parts.ts';

const readModels: ReadonlySet<string> = new Set(projectionNames);

/** How far behind the read models are, each by the one furthest behind; null: nobody has projected anything yet. */
export const lagOf = (standings: readonly ListedProjection[]) => {
  const own = standings.filter(({ name }) => readModels.has(name));
  const ages = own.map(({ lag_seconds }) => lag_seconds);
  const lags = own.flatMap(({ lag_events }) => lag_events ?? []);
  return {
    lagEvents: lags.length === 0 ? null : Math.max(...lags),
    freshnessSeconds: ages.length === 0 || ages.includes(null) ? null : Math.max(0, ...ages.map((age) => age ?? 0)),
  };
};
