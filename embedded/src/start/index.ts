export { StartConfig } from './config.ts';
export { areDemoCredentialsAccepted, mayRegisterDemo } from './demo.ts';
export { dataFormat, DataFormatError, prepareDataFolder, restrictDataFolder } from './data-format.ts';
export { loadSecrets } from './secrets.ts';
export { dropRoutineLines, limitLines } from './engines.ts';
export { lockDataFolder } from './folder-lock.ts';
export { waitUntilReady } from './services.ts';
