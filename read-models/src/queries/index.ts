export { classifyReceipts } from './judged-plays.ts';
export { isOnlineSql } from './online.ts';
