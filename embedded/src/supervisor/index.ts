export { defaultRestartPolicy, type RestartPolicy } from './back-off.ts';
export { choosePort, PortInUseError } from './choose-port.ts';
export { isAlive } from './is-alive.ts';
export type { ProcessLine, ProcessOptions, ReadyLine } from './part-options.ts';
export {
  startSupervisedProcess,
  stopInReverseOrder,
  type SupervisedProcess,
  type SupervisionEnd,
} from './start-part.ts';
