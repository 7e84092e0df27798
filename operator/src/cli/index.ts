export { createProgram } from './create-program.ts';
