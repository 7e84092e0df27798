import { createProgram } from './program/create-program.ts';
import { runProgram } from './program/run-program.ts';

process.exitCode = await runProgram(createProgram(process.env), process.argv);
