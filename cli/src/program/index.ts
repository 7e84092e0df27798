export { createProgram } from './create-program.ts';
export { runProgram } from './run-program.ts';
export { columns } from './columns.ts';
export { connectBy, type Connected } from './connect.ts';
export { wholeNumber } from './option-values.ts';
export { print, remark } from './print.ts';
