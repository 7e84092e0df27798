export {
  createConnect,
  dataOf,
  type OpsClient,
  type OpsRequest,
  type ServiceConnection,
  withRetries,
} from './ops-client.ts';
export { type Sender, withTemporaryClient, withTemporaryKey } from './temporary-credentials.ts';
export {
  createDynamicPush,
  createVendorPushes,
  type IntakeName,
  type Push,
  type VendorPushes,
} from './vendor-pushes.ts';
export { waitUntilProjected } from './wait-until-projected.ts';
