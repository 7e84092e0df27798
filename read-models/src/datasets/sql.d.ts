/** Pieces of SQL that the columns share. Zones differ by row, so the reading profile allows them as arguments. */
/** `YYYY-MM-DDTHH:mm:ss.SSS±hh:mm` of an instant in a zone. */
export declare const local: (instant: string, zone: string) => string;
export declare const locals: (instants: string, zone: string) => string;
export declare const utc: (instant: string) => string;
export declare const label: (format: string, instant: string, zone: string) => string;
/** `14:00-15:00`; the last of the day ends at 24:00. */
export declare const hourRange: (instant: string, zone: string) => string;
/** An attribute of a dictionary; null when the key is not in it. */
export declare const look: (dictionary: string, attribute: string, key: string) => string;
export declare const known: (id: string) => string;
export declare const said: (text: string) => string;
export declare const seconds: (milliseconds: string) => string;
/** round(100 × part / whole), half up; 0 when there is no whole. */
export declare const percent: (part: string, whole: string) => string;
//# sourceMappingURL=sql.d.ts.map
