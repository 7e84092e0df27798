import { defaultThresholds, type Thresholds } from '@popsvc/contracts/metrics';

export interface ThresholdVersion {
  /** 0 for the first: it holds for all earlier times too. */
  readonly validFromMs: number;
  /** Version of the published definition; 0 is the default. */
  readonly definition: number;
  readonly thresholds: Thresholds;
}

/** The thresholds in force at an instant, of versions sorted by when they begin. */
export const thresholdsAt = (versions: readonly ThresholdVersion[], instantMs: number): Thresholds =>
  versions.findLast(({ validFromMs }, index) => index === 0 || validFromMs <= instantMs)?.thresholds ??
  defaultThresholds;
