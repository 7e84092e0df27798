import { nameWithoutShard } from '@popsvc/domain/partitioning';
import { type Postgres, writeLagSample, wasLagSampled } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { projectionNames } from '@popsvc/read-models/generations';
import type { ListedProjection } from '../projections/read-projections.ts';
import { minuteMs } from './history.ts';

const readModels: ReadonlySet<string> = new Set(projectionNames);

/** `lagEvents` ignores read models whose lag is unknown. `freshnessSeconds` is null if the age of any read model is unknown. */
export const summarizeLag = (projections: readonly ListedProjection[]) => {
  const own = projections.filter(({ name }) => readModels.has(nameWithoutShard(name)));
  const ages = own.map(({ lag_seconds }) => lag_seconds);
  const lags = own.flatMap(({ lag_events }) => lag_events ?? []);
  return {
    lagEvents: lags.length === 0 ? null : Math.max(...lags),
    freshnessSeconds: ages.length === 0 || ages.includes(null) ? null : Math.max(0, ...ages.map((age) => age ?? 0)),
  };
};

const sampleIntervalMs = 10_000;
/** A process skips its sample if any process stored one within this time. */
const recentSampleMs = 8_000;

/** Returns a function that stops the sampling. */
export const startLagSampling = (
  readProjections: () => Promise<readonly ListedProjection[]>,
  postgres: Postgres,
  log: Log,
): (() => void) => {
  const sample = async () => {
    if (await wasLagSampled(postgres, recentSampleMs)) return;
    const { lagEvents, freshnessSeconds } = summarizeLag(await readProjections());
    if (lagEvents === null) return;
    const freshnessMs = freshnessSeconds === null ? null : Math.round(freshnessSeconds * 1_000);
    await writeLagSample(postgres, Math.floor(Date.now() / minuteMs) * minuteMs, { lagEvents, freshnessMs });
  };
  let sampling: Promise<void> | undefined;
  const sampleOnce = () => {
    sampling ??= sample()
      .catch((err: unknown) => log.warn({ err }, 'failed to store lag sample'))
      .finally(() => (sampling = undefined));
  };
  const timer = setInterval(sampleOnce, sampleIntervalMs);
  return () => clearInterval(timer);
};
