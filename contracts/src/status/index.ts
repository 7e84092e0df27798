export { DeviceStatus, FeederStatus } from './device-status.ts';
