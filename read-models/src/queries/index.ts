export { classifyReceipts } from '../receipts/tables.ts';
export { isOnlineSql } from '../status/tables.ts';
