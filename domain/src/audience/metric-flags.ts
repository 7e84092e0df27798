import type { Thresholds } from '@popsvc/contracts/metrics';

export interface MetricFlags {
  readonly isImpression: boolean;
  readonly isWatched: boolean;
  readonly isGlance: boolean;
  readonly isView: boolean;
  readonly isViewThrough: boolean;
}

export const noFlags: MetricFlags = {
  isImpression: false,
  isWatched: false,
  isGlance: false,
  isView: false,
  isViewThrough: false,
};

/** What was measured of one detection during one play; milliseconds. */
export interface Measured {
  readonly playMs: number;
  readonly presenceMs: number;
  readonly watchMs: number;
}

/** The flags of decisions 5.3; they nest: view-through ⇒ view ⇒ glance ⇒ watched and impression. */
export const metricFlags = ({ playMs, presenceMs, watchMs }: Measured, thresholds: Thresholds): MetricFlags => {
  const isGlance = watchMs >= thresholds.glance_ms;
  const isView = watchMs >= thresholds.view_ms;
  const sharePermille = Math.round(thresholds.view_through_share * 1_000);
  return {
    isImpression: presenceMs >= thresholds.impression_ms || isGlance,
    isWatched: watchMs > 0,
    isGlance,
    isView,
    isViewThrough:
      isView && presenceMs >= playMs - thresholds.view_through_slack_ms && watchMs * 1_000 >= sharePermille * playMs,
  };
};
