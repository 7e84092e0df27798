import { createProgram } from './cli/create-program.ts';
import { runProgram } from './cli/run-program.ts';

process.exitCode = await runProgram(createProgram(process.env), process.argv);
