export { type Chart, loadChart, mergeValues, parseYaml, readValues } from './chart/load-chart.ts';
export { renderChart, type Release, type RenderedChart, type RenderedFile } from './render-chart.ts';
export { executeTemplate, isFunction } from './template/execute.ts';
export { parseTemplates } from './template/parser.ts';
export { TemplateError } from './template/syntax.ts';
export type { Value, ValueMap } from './template/values.ts';
