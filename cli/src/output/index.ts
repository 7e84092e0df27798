export { CliError } from './cli-error.ts';
export { createEscapingTransform } from './control-characters.ts';
export { formatTable } from './format.ts';
export { printNote, printResult } from './print.ts';
