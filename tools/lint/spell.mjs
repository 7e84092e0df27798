/**
 * Checks spelling and flagged words, in the text of files and in their names.
 *
 *   npm run spell              every file of the repository
 *   npm run spell -- PATH...   these folders or files
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, root } from './files.mjs';

const config = 'tools/lint/cspell.config.mjs';
const dictionary = 'tools/lint/dictionary.txt';
const flagged = 'tools/lint/flagged-words.mjs';

/** Files that are not checked because they are generated, binary, or have content that must not change. */
const ignored = [/\/src\/generated\//, /^docs\/reference\//, /^test\/data\//, /\.gz$/];
const ignoredFiles = new Set([dictionary, flagged, 'package-lock.json', 'LICENSE']);
const isChecked = (path) => !ignoredFiles.has(path) && !ignored.some((pattern) => pattern.test(path));

const cspell = (args, input) =>
  new Promise((resolve) => {
    const program = join(root, 'node_modules/cspell/bin.mjs');
    const common = ['lint', '--no-progress', '--no-summary', '--config', config];
    const child = spawn(process.execPath, [program, ...common, ...args], { cwd: root });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('close', (code) => resolve({ code, output }));
    child.stdin.end(input);
  });

/**
 * Checks the content of files. Does not use the cache of cspell 9.8: with --file-list and the cache, a second run reports no issues even
 * if there are some. lint.mjs skips this check if no file has changed.
 */
const checkTexts = (files) => cspell(['--dot', '--file-list', 'stdin'], files.join('\n'));

/**
 * Checks the names of files and folders. cspell receives the names as one text, one per line; the line numbers in its output are then
 * replaced with the paths.
 */
const checkNames = async (files) => {
  const folders = files.flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(0, index).join('/')));
  const paths = [...new Set([...folders, ...files])].filter((path) => path !== '').sort();
  const { code, output } = await cspell(['stdin://names.txt'], paths.map((path) => path.split('/').at(-1)).join('\n'));
  return {
    code,
    output: output.replace(/^.*names\.txt:(\d+):\d+ - /gm, (_, line) => `${paths[line - 1]} - File name: `),
  };
};

const problems = [];
const words = readFileSync(join(root, dictionary), 'utf8').trimEnd().split('\n');
if (words.some((word, index) => index > 0 && word <= words[index - 1]))
  problems.push(`${dictionary} is not sorted, or has a word twice: LC_ALL=C sort -u -o ${dictionary} ${dictionary}`);

const given = process.argv.slice(2).map((path) => path.replace(/\/$/, ''));
const paths = given.length > 0 ? given : ['.'];
const missing = paths.filter((path) => filesBelow(path).length === 0);
for (const path of missing) problems.push(`${path} has no files`);

const files = [...new Set(paths.flatMap(filesBelow))].filter(isChecked);
if (files.length > 0) {
  const results = await Promise.all([checkTexts(files), checkNames(files)]);
  problems.push(...results.filter(({ code }) => code !== 0).map(({ output }) => output.trim()));
}
for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log(`${files.length} files checked`);
process.exitCode = problems.length > 0 ? 1 : 0;
