export { classifyReceipts } from '../receipts/receipts.tables.ts';
export { isOnlineSql } from '../status/status.tables.ts';
