export { type Cursor, cursorOf, nextAfter, type Place } from './cursor.ts';
export { type DownloadAsked, downloadAsked } from './download-asked.ts';
export { type PageAsked, pageAsked, type Sort } from './page-asked.ts';
export { ceilMs } from './moment.ts';
export { Parameters } from './parameters.ts';
export type { Window } from './window.ts';
