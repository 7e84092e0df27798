import { type Postgres, writeLagSample, wasLagSampled } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { OpsDependencies } from '../ops-parts.ts';
import { minuteMs } from './history.ts';
import { lagOf } from './lag-of.ts';

const everyMs = 10_000;
/** Of several processes one samples. */
const toldMs = 8_000;

/** Writes down every ten seconds how far the read models are behind, unless another process just did. Returns what ends it. */
export const startLagSampling = (
  projections: OpsDependencies['readProjections'],
  postgres: Postgres,
  log: Log,
): (() => void) => {
  const sample = async () => {
    if (await wasLagSampled(postgres, toldMs)) return;
    const { lagEvents, freshnessSeconds } = lagOf(await projections());
    if (lagEvents === null) return;
    const freshnessMs = freshnessSeconds === null ? null : Math.round(freshnessSeconds * 1_000);
    await writeLagSample(postgres, Math.floor(Date.now() / minuteMs) * minuteMs, { lagEvents, freshnessMs });
  };
  let sampling: Promise<void> | undefined;
  const beat = () => {
    sampling ??= sample()
      .catch((err: unknown) => log.warn({ err }, 'how far the read models are behind was not written down'))
      .finally(() => (sampling = undefined));
  };
  const timer = setInterval(beat, everyMs);
  return () => clearInterval(timer);
};
