import { createProgram, runProgram } from './program/program.ts';

// The process that reads standard output, such as `head`, may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runProgram(createProgram(process.env), process.argv);
