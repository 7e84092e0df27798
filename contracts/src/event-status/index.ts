export {
  EventPathParams,
  EVENT_STATUSES,
  EventStatusReport,
  type EventStatus,
  maxListedReceipts,
  RECEIPT_OUTCOMES,
  type ReceiptOutcome,
} from './event-feedback.ts';
