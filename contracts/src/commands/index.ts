export { Detection, Heartbeat, Interval } from './devices.ts';
export { DynamicEvent, PopEvent, SchemaVersion } from './pop.ts';
export { Reconcile, reconcileLimits } from './reconcile.ts';
export { RequestUpload, StartBulkIngest } from './bulk.ts';
