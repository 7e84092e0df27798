/**
 * Generates the calls of the Python client, one method for each endpoint, from the OpenAPI documents in docs/reference/openapi. The
 * file is not committed, like the generated types of the other client: users read the README and the docstrings in the wheel.
 *
 *   node tools/build/generate-python-client.mjs [FOLDER]   FOLDER: a copy of client-python; default client-python
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const generated = 'src/popsvc_client/generated';

/** The paths of each document that the client calls, and the URL of the client that they belong to. */
const sources = [
  { name: 'query-api', prefix: '/api/v1/', url: 'base_url' },
  { name: 'command-api', prefix: '/popsvc/v1/', url: 'ingest_url' },
];
/** The client sends files to signed URLs, whatever their address is. */
const isCalled = ({ operationId }) => operationId !== 'uploadFile';

const types = { integer: 'int', number: 'float', boolean: 'bool', string: 'str' };
const keywords = new Set(['from', 'in', 'is', 'for', 'class', 'global']);

const snakeCase = (name) =>
  name
    .replace(/^X-/, '')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
/** The arguments that the methods of `Client` have under another name than the parameter of the endpoint. */
const renamedArguments = { network_name: 'network' };
const argumentName = (name) => {
  const argument = snakeCase(name);
  return keywords.has(argument) ? `${argument}_` : (renamedArguments[argument] ?? argument);
};

const typeOf = ({ type, items }) =>
  type === 'array' ? `Union[${types[items.type] ?? 'Any'}, Sequence[${types[items.type] ?? 'Any'}]]` : types[type];

const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);
const quote = (text) => JSON.stringify(text);

const method = (path, verb, operation, url) => {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const required = parameters.filter((parameter) => parameter.required);
  const optional = parameters.filter((parameter) => !parameter.required);
  const signature = [
    'self',
    ...required.map(({ name, schema }) => `${argumentName(name)}: ${typeOf(schema)}`),
    ...(requestBody
      ? [requestBody.required ? 'body: Mapping[str, Any]' : 'body: Optional[Mapping[str, Any]] = None']
      : []),
    ...(optional.length > 0 ? ['*'] : []),
    ...optional.map(({ name, schema }) => `${argumentName(name)}: Optional[${typeOf(schema)}] = None`),
  ];
  const fields = (place) => {
    const entries = parameters.filter((parameter) => parameter.in === place);
    return `{${entries.map(({ name }) => `${quote(name)}: ${argumentName(name)}`).join(', ')}}`;
  };
  const success = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const isFile = success.every(([, { content }]) => content && !content['application/json']);
  const documentation = [
    sentence(summary),
    ...(description ? ['', description] : []),
    ...(parameters.length > 0 ? [''] : []),
    ...parameters.map(({ name, description: about = '' }) => `${argumentName(name)}: ${about}`.trimEnd()),
  ].map((line) => (line === '' ? '' : `        ${line.replaceAll('\\', '\\\\').replaceAll('"""', "'''")}`));
  return [
    `    def ${snakeCase(operationId)}(${signature.join(', ')}) -> ${isFile ? 'Download' : 'Any'}:`,
    `        """${documentation.join('\n').trimStart()}`,
    '        """',
    `        return self._transport.${isFile ? 'open' : 'call'}(`,
    `            ${quote(verb.toUpperCase())},`,
    `            self._${url}(),`,
    `            ${quote(path)},`,
    `            path_fields=${fields('path')},`,
    `            query=${fields('query')},`,
    `            headers=${fields('header')},`,
    ...(requestBody ? ['            body=body,'] : []),
    '        )',
  ].join('\n');
};

/** Returns the Python source of the calls. */
const generateOperations = () => {
  const methods = sources.flatMap(({ name, prefix, url }) => {
    const document = JSON.parse(readFileSync(join(root, `docs/reference/openapi/${name}.json`), 'utf8'));
    return Object.entries(document.paths)
      .filter(([path]) => path.startsWith(prefix))
      .flatMap(([path, item]) =>
        Object.entries(item)
          .filter(([, operation]) => isCalled(operation))
          .map(([verb, operation]) => method(path, verb, operation, url)),
      );
  });
  return `# Generated from docs/reference/openapi by tools/build/generate-python-client.mjs.
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

from ..transport import Download, Transport


class Operations:
    """One method for each endpoint. A response in JSON is returned parsed, with its envelope."""

    _transport: Transport

    def _base_url(self) -> str:
        raise NotImplementedError

    def _ingest_url(self) -> str:
        raise NotImplementedError

${methods.join('\n\n')}
`;
};

/** Converts a version of npm, such as `0.1.0-alpha.3`, to one of Python: `0.1.0a3`. */
const pythonVersion = (version) =>
  version.replace(
    /-(alpha|beta|rc)\.(\d+)$/,
    (_, stage, number) => `${{ alpha: 'a', beta: 'b', rc: 'rc' }[stage]}${number}`,
  );

const folder = join(process.argv[2] ?? join(root, 'client-python'), generated);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, '__init__.py'), `__version__ = "${pythonVersion(version)}"\n`);
writeFileSync(join(folder, 'operations.py'), generateOperations());
