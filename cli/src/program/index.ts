export { createProgram, runProgram } from './program.ts';
export { parseWholeNumber } from '../option-values.ts';
