/** What a report may be asked for; what is said of it, what checks it and what is told back take it from here. */
export const reportLimits = {
  /** Rows of a page; of a download, where it is limited at all. */
  limit: { least: 1, most: 5_000, standard: 1_000 },
  /** From the beginning of the window to its end. */
  longestDays: 31,
} as const;
