/**
 * Limits of report requests, for request validation and the OpenAPI documents. The client, which depends on no other package, repeats
 * them; a test compares both.
 */
export const reportLimits = {
  /** Limits of the parameter `limit`: the number of rows in a page or download. */
  limit: { min: 1, max: 5_000, default: 1_000 },
  /** Maximum length of a report's time range, in days. */
  maxWindowDays: 31,
} as const;
