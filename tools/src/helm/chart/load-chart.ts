import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isMap, type ValueMap } from '../template/values.ts';

export interface ChartFile {
  /** Relative to the folder of the chart, such as `templates/service.yaml`. */
  readonly path: string;
  readonly text: string;
}

export interface Chart {
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
  /** The content of values.yaml. */
  readonly values: ValueMap;
  /** The JSON schema of the values. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly templates: readonly ChartFile[];
}

/** Parses a YAML file with the rules of YAML 1.1, which Helm and Kubernetes use: `on` and `yes` are true. */
export const parseYaml = (text: string): unknown => parse(text, { version: '1.1', merge: true });

export const readValues = (path: string): ValueMap => (parseYaml(readFileSync(path, 'utf8')) ?? {}) as ValueMap;

export const loadChart = (folder: string): Chart => {
  const readText = (path: string) => readFileSync(join(folder, path), 'utf8');
  const { name, version, appVersion } = parseYaml(readText('Chart.yaml')) as Record<string, string>;
  if (name === undefined || version === undefined || appVersion === undefined)
    throw new Error('Chart.yaml needs name, version and appVersion');
  const templates = readdirSync(join(folder, 'templates'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(yaml|tpl|txt)$/.test(path))
    .map((path) => `templates/${path.replaceAll('\\', '/')}`)
    .sort();
  return {
    name,
    version,
    appVersion,
    values: readValues(join(folder, 'values.yaml')),
    schema: JSON.parse(readText('values.schema.json')) as Record<string, unknown>,
    templates: templates.map((path) => ({ path, text: readText(path) })),
  };
};

/**
 * Merges values over the defaults of a chart, as Helm does: maps by key, anything else replaces the default, and null removes it.
 * Throws if a map replaces something else or is replaced, where Helm prints a warning.
 */
export const mergeValues = (defaults: ValueMap, values: ValueMap, path = ''): ValueMap => {
  const merged = new Map(Object.entries(defaults));
  for (const [name, value] of Object.entries(values)) {
    const standard = merged.get(name);
    const place = `${path}${name}`;
    if (value === null) merged.delete(name);
    else if (isMap(value) && isMap(standard)) merged.set(name, mergeValues(standard, value, `${place}.`));
    else if (standard !== undefined && standard !== null && isMap(standard) !== isMap(value))
      throw new Error(`${place} must ${isMap(standard) ? '' : 'not '}be a map`);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
};
