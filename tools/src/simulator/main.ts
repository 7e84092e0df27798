import { runProgram } from '@popsvc/cli/program';
import { createSimulateProgram } from './create-simulate-program.ts';

const code = await runProgram(createSimulateProgram(process.env), process.argv);
// A simulation may have found that what it sent is not what is reported.
process.exitCode ||= code;
