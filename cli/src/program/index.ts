export { createProgram, runProgram } from './program.ts';
export { parseWholeNumber } from '../option-values.ts';
export { formatTable } from '../output/format.ts';
export { printNote, printResult } from '../output/print.ts';
