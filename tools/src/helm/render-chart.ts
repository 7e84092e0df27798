import { Ajv } from 'ajv';
import { type Chart, mergeValues } from './chart/load-chart.ts';
import { executeTemplate, isFunction } from './template/execute.ts';
import { parseTemplates } from './template/parser.ts';
import type { Template } from './template/syntax.ts';
import { GoStruct, type ValueMap } from './template/values.ts';

export interface Release {
  readonly name: string;
  readonly namespace: string;
}

export interface RenderedFile {
  /** The template, such as `templates/service.yaml`. */
  readonly path: string;
  readonly text: string;
}

export interface RenderedChart {
  /** Manifests in the order of their files, without templates that render nothing. */
  readonly manifests: readonly RenderedFile[];
  /** What Helm prints after an installation. */
  readonly notes: string;
}

/** Throws if the merged values do not match values.schema.json. Helm checks this before it renders, too. */
const validateValues = ({ schema, name }: Pick<Chart, 'schema' | 'name'>, values: ValueMap): void => {
  const validate = new Ajv({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true }).compile(
    schema,
  );
  if (validate(values)) return;
  const lines = (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) =>
      `  ${instancePath.replaceAll('/', '.').slice(1) || 'values'}: ${message} ${JSON.stringify(params)}`,
  );
  throw new Error(`The values do not match the schema of the chart ${name}:\n${lines.join('\n')}`);
};

const parseAll = ({ templates, name }: Chart): ReadonlyMap<string, Template> => {
  const all = new Map<string, Template>();
  for (const { path, text } of templates)
    for (const template of parseTemplates(`${name}/${path}`, text, isFunction)) {
      if (all.has(template.name)) throw new Error(`${name}/${path}: ${template.name} is defined twice`);
      all.set(template.name, template);
    }
  return all;
};

/**
 * Renders a chart like `helm template`, with several files of values, of which a later one overrides an earlier one. Throws if the
 * values do not match the schema, or if a template is invalid or outside the supported subset (ADR 0026).
 */
export const renderChart = (
  chart: Chart,
  { name, namespace }: Release,
  files: readonly ValueMap[] = [],
): RenderedChart => {
  const values = files.reduce<ValueMap>((merged, one) => mergeValues(merged, one), chart.values);
  validateValues(chart, values);
  const templates = parseAll(chart);
  const data = new GoStruct({
    Values: values,
    Chart: new GoStruct({ Name: chart.name, Version: chart.version, AppVersion: chart.appVersion }),
    Release: new GoStruct({ Name: name, Namespace: namespace, Service: 'Helm' }),
  });
  const rendered = chart.templates
    .filter(({ path }) => !/(^|\/)_[^/]*$/.test(path))
    .map(({ path }) => ({ path, text: executeTemplate(templates, `${chart.name}/${path}`, data) }));
  return {
    manifests: rendered.filter(({ path, text }) => path.endsWith('.yaml') && text.trim() !== ''),
    notes: rendered.find(({ path }) => path === 'templates/NOTES.txt')?.text ?? '',
  };
};
