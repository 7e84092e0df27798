export { importFiles, type Imported, type ImportWish } from './import-files.ts';
export { pushRows } from './push-rows.ts';
export type { Numbered, Read } from './read.ts';
export { detectionOfLine, readDetections } from './read-detections.ts';
export { readPlayout } from './read-playout.ts';
export { senderOfFile } from './sender-of-file.ts';
export type { BadRow, ImportCounts } from './tally.ts';
