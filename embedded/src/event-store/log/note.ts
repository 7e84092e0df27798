/** Reports something that the operator should know: a fixed text and its variables. */
export type Note = (message: string, fields: Readonly<Record<string, unknown>>) => void;
