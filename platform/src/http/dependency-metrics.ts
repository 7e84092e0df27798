import { withDeadline, createSampler } from '../runtime/index.ts';
import { Gauge, type Registry } from '../telemetry/index.ts';
import type { ReadinessCheck } from './probes.ts';

const [freshMs, patienceMs] = [5_000, 2_500];
const checkMs = 2_000;

const isUp = async (check: ReadinessCheck): Promise<boolean> => {
  try {
    await withDeadline(check(), checkMs);
    return true;
  } catch {
    return false;
  }
};

/** What `/readyz` asks, as figures: a dashboard shows since when what is away. */
export const registerDependencyMetrics = (
  registry: Registry,
  checks: Readonly<Record<string, ReadinessCheck>>,
): void => {
  const names = Object.keys(checks);
  const looked = createSampler(() => Promise.all(names.map((name) => isUp(checks[name]!))), {
    maxAgeMs: freshMs,
    timeoutMs: patienceMs,
  });
  new Gauge({
    name: 'popsvc_dependency_up',
    help: '1 while what this process needs answers, else 0; the same that /readyz asks.',
    labelNames: ['dependency'],
    registers: [registry],
    async collect() {
      const up = await looked();
      this.reset();
      names.forEach((dependency, index) => this.set({ dependency }, up?.[index] ? 1 : 0));
    },
  });
};
