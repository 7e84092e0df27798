import { parentPort, workerData } from 'node:worker_threads';
import { libchdbPath } from 'chdb/libchdb';
import { DataType, isNullPointer, load, open } from 'ffi-rs';

/**
 * `chdb_query_cmdline` returns when the engine has stopped. ffi-rs calls it, because koffi would use a separate stack, on which
 * ClickHouse's stack check fails with TOO_DEEP_RECURSION.
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

// To read a null pointer as a string would crash the process.
const failed = !isNullPointer(result) && !isNullPointer(readError(DataType.External));
parentPort?.postMessage(failed ? readError(DataType.String) : '');
