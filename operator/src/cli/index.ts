export { createProgram } from './create-program.ts';
export { runProgram } from './run-program.ts';
