/**
 * The places for which the optional checks of `npm run lint` are switched on: one line each, as a path from the top of the
 * repository. A path that holds no files fails the check, so it has to be renamed here together with its folder.
 */
module.exports = {
  /** Spelling and flagged words: folders or files. `npm run spell -- PATH` checks one that is not listed. */
  spelling: [
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'README.md',
    'cli',
    'client',
    'command-api',
    'console',
    'contracts',
    'docs/decisions',
    'docs/glossary.md',
    'docs/guides/analysts.md',
    'docs/guides/mappings.md',
    'docs/guides/operators.md',
    'docs/guides/partners.md',
    'docs/guides/vendors.md',
    'docs/scaling.md',
    'docs/threat-model.md',
    'docs/walkthrough.md',
    'domain',
    'embedded',
    'projectors',
    'read-models',
    'test/src/architecture',
    'test/src/cli',
    'test/src/client',
    'test/src/console',
    'test/src/contracts',
    'test/src/faults',
    'test/src/projectors',
    'tools/build',
    'test/src/e2e',
    'test/src/embedded',
    'test/src/runtime',
    'tools/lint',
  ],

  /** No cycles between folders: packages. `LINT_FOLDERS=NAME,NAME npm run boundaries` checks some that are not listed. */
  foldersWithoutCycles: [
    'cli',
    'client',
    'command-api',
    'console',
    'contracts',
    'domain',
    'embedded',
    'ops-api',
    'platform',
    'projectors',
    'query-api',
    'read-models',
  ],
};
