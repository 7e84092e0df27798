/** Limits of report requests. Request validation, the OpenAPI documents and the client use them. */
export const reportLimits = {
  /** Limits of the parameter `limit`: the number of rows in a page or download. */
  limit: { min: 1, max: 5_000, default: 1_000 },
  /** Maximum length of a report's time range, in days. */
  maxWindowDays: 31,
} as const;
