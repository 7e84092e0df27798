import { createProgram, runProgram } from './program/program.ts';

// A reader of standard output may close the pipe before the end, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runProgram(createProgram(process.env), process.argv);
