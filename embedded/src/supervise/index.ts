export { defaultBackOff, type BackOff } from './back-off.ts';
export { choosePort, PortTaken } from './choose-port.ts';
export { isAlive } from './is-alive.ts';
export type { PartLine, PartOptions, ReadyLine } from './part-options.ts';
export { startPart, stopParts, type Part, type PartEnd } from './start-part.ts';
