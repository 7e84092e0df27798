export { AppUptime, DeviceStatus, FeederStatus } from './devices.ts';
export { Place, withEnvelope } from './envelope.ts';
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
export { MetricDefinitions } from './metric-definitions.ts';
export { reportLimits } from './report-limits.ts';
