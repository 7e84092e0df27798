export {
  EventAddress,
  EVENT_STATUSES,
  EventFeedback,
  type EventStatus,
  mostReceiptsTold,
  RECEIPT_OUTCOMES,
  type ReceiptOutcome,
} from './event-feedback.ts';
