/** Rates of a key that no benchmark reaches: what is measured is the service, not its limits. */
export const unlimitedRates = { requestsPerSecond: 1_000_000, eventsPerSecond: 100_000_000 };
