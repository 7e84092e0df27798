export { localTimeSql, minuteOfWeekSql } from '../declarations/local-times.ts';
export { classifyReceipts } from '../receipts/receipts.tables.ts';
export {
  type QuarantinedEventRow,
  quarantinedEventsQuery,
  type QuarantineReasonRow,
  quarantineReasonsQuery,
} from '../receipts/quarantined-events.ts';
export { readStoredEvents, type StoredEvent, type StoredReceipt } from '../receipts/stored-events.ts';
export { isOnlineSql } from '../status/status.tables.ts';
export {
  readUnknownReferences,
  type ReferenceSources,
  type UnknownReference,
  unresolvedFields,
} from '../registry/unknown-references.ts';
export { type JobRow, jobsQuery } from '../jobs/bulk-jobs.table.ts';
