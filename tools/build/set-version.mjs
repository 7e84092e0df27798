/**
 * Sets the release version in every package.json, in package-lock.json, in the image tags of docker-compose.yml and in the Helm chart. The
 * services, `popsvc --version` and the OpenAPI documents take their version from package.json. Add the heading in CHANGELOG.md by hand.
 *
 *   node tools/build/set-version.mjs 0.1.0-alpha.2 && npm run reference
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { valid } from 'semver';

const root = join(import.meta.dirname, '../..');
const version = valid(process.argv[2]);
if (!version)
  throw new Error(`The argument is ${process.argv[2] ?? 'missing'}; pass a semantic version such as 0.1.0-alpha.2.`);

const rewrite = (path, change) => writeFileSync(join(root, path), change(readFileSync(join(root, path), 'utf8')));

const manifestPaths = ['package.json'];
manifestPaths.push(
  ...JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces.map((name) => `${name}/package.json`),
);
for (const path of manifestPaths)
  rewrite(path, (text) => {
    const manifest = JSON.parse(text);
    manifest.version = version;
    for (const kind of ['dependencies', 'devDependencies'])
      for (const name of Object.keys(manifest[kind] ?? {}))
        if (name.startsWith('@popsvc/')) manifest[kind][name] = version;
    return `${JSON.stringify(manifest, null, 2)}\n`;
  });
rewrite('docker-compose.yml', (text) => text.replace(/(image: popsvc\/[a-z-]+:)\S+/g, `$1${version}`));
rewrite('deploy/helm/popsvc/Chart.yaml', (text) => text.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`));
execFileSync('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd: root, stdio: 'inherit' });
