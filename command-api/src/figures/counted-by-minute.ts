import type { IntakeMetrics } from '../intake/intake-metrics.ts';
import type { IntakeCounts } from './intake-minutes.ts';

/** The metrics of the intake, with what operators are told by the minute counted beside them. */
export const countedByMinute = (
  metrics: IntakeMetrics,
  { accepted, refused }: IntakeCounts,
): IntakeMetrics & Pick<IntakeCounts, 'refused'> => ({
  ...metrics,
  refused,
  accepted(kind, events) {
    metrics.accepted(kind, events);
    accepted(events);
  },
});
