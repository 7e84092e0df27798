export { type ProcessLine } from './child-process.ts';
export { choosePort } from './ports.ts';
export {
  type ProcessOptions,
  type RestartPolicy,
  startSupervisedProcess,
  stopInReverseOrder,
  type SupervisedProcess,
} from './supervised-process.ts';
