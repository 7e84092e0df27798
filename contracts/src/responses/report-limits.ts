/** Limits of report requests; validation, OpenAPI documents and the client use them. */
export const reportLimits = {
  /** Number of rows of a page, or of a download with the parameter `limit`. */
  limit: { min: 1, max: 5_000, default: 1_000 },
  /** Longest window in days. */
  maxWindowDays: 31,
} as const;
