/** Limits of report requests, for validation, documentation and responses. */
export const reportLimits = {
  /** Rows of a page, and of a limited download. */
  limit: { least: 1, most: 5_000, standard: 1_000 },
  /** Longest window in days. */
  longestDays: 31,
} as const;
