import tseslint from 'typescript-eslint';

/** Few rules, all on, no list of exceptions. */
export default tseslint.config(
  { ignores: ['**/dist/**', '**/src/generated/**', 'node_modules/**', 'bench-results/**', '.data/**'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      // openid-client marks it so only as a warning. It is needed for a provider on this machine, without TLS.
      '@typescript-eslint/no-deprecated': ['error', { allow: ['allowInsecureRequests'] }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off' },
  },
  {
    files: ['domain/**/*.ts', 'contracts/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'performance'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'The clock is an argument.' },
        { object: 'Math', property: 'random', message: 'Chance is an argument.' },
      ],
    },
  },
);
