export { Detection, Heartbeat, Interval } from './devices.ts';
export { DynamicEvent, PopEvent, SchemaVersion } from './pop.ts';
export { RequestUpload, StartBulkIngest } from './bulk.ts';
