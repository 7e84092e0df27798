/** Ends the program if Node.js is older than package.json requires. The file uses nothing that Node.js 12 lacks. */
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const toNumbers = (version) => version.replace(/^\D*/, '').split('.').map(Number);
const [[requiredMajor, requiredMinor = 0], [major, minor]] = [engines.node, process.versions.node].map(toNumbers);

if (major < requiredMajor || (major === requiredMajor && minor < requiredMinor)) {
  process.stderr.write(
    `popsvc needs Node.js ${engines.node}, but ${process.execPath} is ${process.version}: ` +
      'install Node.js 24 (https://nodejs.org), and run the command again with it.\n',
  );
  process.exit(1);
}
