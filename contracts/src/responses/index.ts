export { AppUptime, DeviceStatus, FeederStatus } from './devices.ts';
export { nextBefore, Place, reportLimits, responseMessage, withEnvelope } from './envelope.ts';
export {
  EVENT_STATUSES,
  EventPathParams,
  type EventStatus,
  EventStatusReport,
  maxListedReceipts,
  RECEIPT_OUTCOMES,
  type ReceiptOutcome,
  WAITING_REASONS,
} from './event-status.ts';
export {
  EventWarnings,
  type EventWarning,
  maxListedWarnings,
  maxNearestLookups,
  PLAY_REFERENCES,
  type PlayReference,
} from './event-warnings.ts';
export { MetricDefinitions } from './metric-definitions.ts';
export { CountReconciliation, EventReconciliation, maxListedDifferences, Reconciliation } from './reconciliation.ts';
export { shownContentCharacters, VendorJob, VendorJobs, VendorQuarantine } from './vendor-quarantine.ts';
export { maxSummaryDays, maxUnresolved, VendorSummary } from './vendor-summary.ts';
