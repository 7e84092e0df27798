import { DataType, load } from 'ffi-rs';

/**
 * Ends this process now, without the clean-up of an ordinary exit: tearing the engine down after it has ended crashes
 * or hangs. `_exit` is the C library's, found through the engine's library, which this process has open.
 */
export const leave = (code: number): never => {
  try {
    load({
      library: 'chdb',
      funcName: '_exit',
      retType: DataType.Void,
      paramsType: [DataType.I32],
      paramsValue: [code],
    });
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
  throw new Error('unreachable');
};
