import { parentPort, workerData } from 'node:worker_threads';
import { libchdbPath } from 'chdb/libchdb';
import { DataType, isNullPointer, load, open } from 'ffi-rs';

/**
 * The worker thread the engine runs in: one call, which returns when the engine has ended and flushed everything.
 * Through ffi-rs and no other binding, for it calls on the thread's own stack and the engine checks where its stack is.
 */
const library = 'chdb';
const args = workerData as readonly string[];

open({ library, path: libchdbPath() });
const result = load({
  library,
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
});

const errorOfResult = <Type extends DataType>(retType: Type) =>
  load({ library, funcName: 'chdb_result_error', retType, paramsType: [DataType.External], paramsValue: [result] });

// Asked for as a pointer first: a null read as a string ends the process.
const failed = !isNullPointer(result) && !isNullPointer(errorOfResult(DataType.External));
parentPort?.postMessage(failed ? errorOfResult(DataType.String) : '');
