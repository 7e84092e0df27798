export { Detection } from './record-detections.command.ts';
export { DynamicEvent, SchemaVersion } from './record-dynamic-pop.command.ts';
export { Heartbeat } from './record-heartbeats.command.ts';
export { Interval } from './record-intervals.command.ts';
export { PopEvent } from './record-pop.command.ts';
export { RequestUpload } from './request-upload.command.ts';
export { StartBulkIngest } from './start-bulk-ingest.command.ts';
