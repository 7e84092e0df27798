export { Detection } from './record-detections.command.ts';
export { PopEvent } from './record-pop.command.ts';
