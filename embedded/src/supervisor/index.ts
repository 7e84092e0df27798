export { type ProcessLine } from './child-process.ts';
export { choosePort, choosePorts } from './ports.ts';
export {
  type ProcessOptions,
  type RestartPolicy,
  startSupervisedProcess,
  stopInReverseOrder,
  type SupervisedProcess,
} from './supervised-process.ts';
