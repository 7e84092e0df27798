export { demoDay, sendDemoEvents } from './demo-events.ts';
