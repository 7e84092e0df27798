export { type IntakeName, type Push, type Target, vendorPushes, type VendorPushes } from './vendor-pushes.ts';
export { caughtUp } from './caught-up.ts';
export { withTemporaryClient } from './temporary-client.ts';
export { type Sender, withTemporaryKey } from './temporary-key.ts';
