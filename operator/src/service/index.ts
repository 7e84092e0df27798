export { type Push, type Target, vendorPushes, type VendorPushes } from './vendor-pushes.ts';
