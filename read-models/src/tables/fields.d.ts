/** Fields that several tables share, told once. */
export declare const instant: (about: string) => import('@popsvc/platform/clickhouse').Field;
export declare const word: (about: string) => import('@popsvc/platform/clickhouse').Field;
export declare const text: (about: string) => import('@popsvc/platform/clickhouse').Field;
export declare const id: (about: string) => import('@popsvc/platform/clickhouse').Field;
export declare const milliseconds: (about: string) => import('@popsvc/platform/clickhouse').Field;
export declare const flag: (about: string) => import('@popsvc/platform/clickhouse').Field;
/**
 * Partitions by month; of years long past by year. An insert writes a part, and waits for the disk, for each partition it has rows
 * for: whoever sends plays of every month since 2000 at once would hold everybody up.
 */
export declare const byMonth: (column: string) => string;
export declare const network: import('@popsvc/platform/clickhouse').Field;
export declare const vendor: import('@popsvc/platform/clickhouse').Field;
export declare const position: (about: string) => import('@popsvc/platform/clickhouse').Field;
export declare const source: {
  pos: import('@popsvc/platform/clickhouse').Field;
  received_at: import('@popsvc/platform/clickhouse').Field;
  recorded_at: import('@popsvc/platform/clickhouse').Field;
};
export declare const replacing: {
  version: import('@popsvc/platform/clickhouse').Field;
  is_deleted: import('@popsvc/platform/clickhouse').Field;
};
//# sourceMappingURL=fields.d.ts.map
