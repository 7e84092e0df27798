/**
 * npm run engines: fails if a package in package-lock.json does not support the lowest Node version that `engines.node` in the
 * root package.json allows. npm itself only prints a warning, and it checks only the Node version that it runs on.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { root } from './files.mjs';

const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const supported = read('package.json').engines.node;
const lowest = semver.minVersion(supported);
const { packages } = read('package-lock.json');

const declaring = Object.entries(packages).filter(([path, { engines }]) => path !== '' && engines?.node !== undefined);
const violations = declaring.filter(([, { engines }]) => !semver.satisfies(lowest, engines.node));

if (declaring.length < 100) {
  console.error(
    `Only ${declaring.length} packages of package-lock.json declare engines.node: the format of the file has changed.`,
  );
  process.exitCode = 1;
}
for (const [path, { version, engines, dev }] of violations)
  console.error(
    `${path.replace(/^.*node_modules\//, '')}@${version} requires Node ${engines.node}, which excludes ${lowest}` +
      ` (package.json: engines.node ${supported})${dev ? ', development only' : ''}: ${path}`,
  );
if (violations.length > 0) {
  console.error(
    'Install a version that supports it, or raise engines.node in package.json, the Dockerfile and the README.',
  );
  process.exitCode = 1;
}
