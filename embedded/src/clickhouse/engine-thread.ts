import { parentPort, workerData } from 'node:worker_threads';
import { libchdbPath } from 'chdb/libchdb';
import { DataType, isNullPointer, load, open } from 'ffi-rs';

/**
 * The worker thread in which the engine runs: one call, which returns when the engine has ended and flushed everything. The call uses
 * ffi-rs because ClickHouse checks the position of its stack: koffi would call it on a separate stack, which fails with
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

// The error is read as a pointer first, because reading a null pointer as a string ends the process.
const failed = !isNullPointer(result) && !isNullPointer(readError(DataType.External));
parentPort?.postMessage(failed ? readError(DataType.String) : '');
