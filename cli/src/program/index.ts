export { commandExamples } from './examples.ts';
export { createProgram, runProgram } from './program.ts';
export { parseWholeNumber } from '../option-values.ts';
