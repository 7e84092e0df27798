import { parentPort, workerData } from 'node:worker_threads';
import { libchdbPath } from 'chdb/libchdb';
import { DataType, isNullPointer, load, open } from 'ffi-rs';

/**
 * Runs the engine in a worker thread. One library call runs the engine; it returns when the engine has stopped and all data is on
 * disk. The call uses ffi-rs, because koffi would run it on a separate stack, where ClickHouse's stack check would fail with
 * TOO_DEEP_RECURSION.
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

const readError = <Type extends DataType>(retType: Type) =>
  load({ library, funcName: 'chdb_result_error', retType, paramsType: [DataType.External], paramsValue: [result] });

// Reads the error as a pointer first, because reading a null pointer as a string would crash the process.
const failed = !isNullPointer(result) && !isNullPointer(readError(DataType.External));
parentPort?.postMessage(failed ? readError(DataType.String) : '');
