export { AppUptime } from './app-uptime.ts';
