export { isAlive, type ProcessLine, type ReadyLine } from './child-process.ts';
export { choosePort, PortInUseError } from './ports.ts';
export {
  type ProcessOptions,
  type RestartPolicy,
  startSupervisedProcess,
  stopInReverseOrder,
  type SupervisedProcess,
  type SupervisionEnd,
} from './supervised-process.ts';
