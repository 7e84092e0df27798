import { parser } from '@prometheus-io/lezer-promql';
import type { SyntaxNode } from '@lezer/common';

/** A series that an expression selects, and the labels by which it filters and groups. */
export interface SelectedSeries {
  readonly metric: string;
  readonly labels: readonly string[];
}

export interface Expression {
  /** Positions of syntax errors. */
  readonly errors: readonly string[];
  readonly selected: readonly SelectedSeries[];
}

/** Replaces variables of Grafana, which the grammar does not know, with durations. */
const replaceVariables = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h');

const childrenOf = (node: SyntaxNode): SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
};

const isGrouping = ({ name }: SyntaxNode) => name === 'AggregateModifier' || name === 'MatchingModifierClause';

/** Parses an expression with the grammar of Prometheus. */
export const readPromql = (expression: string): Expression => {
  const text = replaceVariables(expression);
  const errors: string[] = [];
  const selected: SelectedSeries[] = [];
  const textOf = ({ from, to }: SyntaxNode) => text.slice(from, to);
  const labelsIn = (node: SyntaxNode): string[] => [
    ...(node.name === 'LabelName' ? [textOf(node)] : []),
    ...childrenOf(node).flatMap(labelsIn),
  ];
  /** `grouped`: the labels of enclosing operators, which the series must have too. */
  const walk = (node: SyntaxNode, grouped: readonly string[]): void => {
    if (node.type.isError) errors.push(`${text} at ${node.from}`);
    const children = childrenOf(node);
    if (node.name === 'VectorSelector') {
      const metric = children.find(({ name }) => name === 'Identifier');
      selected.push({ metric: metric ? textOf(metric) : '', labels: [...labelsIn(node), ...grouped] });
      for (const child of children) if (child.type.isError) errors.push(`${text} at ${child.from}`);
      return;
    }
    const own = [...grouped, ...children.filter(isGrouping).flatMap(labelsIn)];
    for (const child of children) if (!isGrouping(child)) walk(child, own);
  };
  walk(parser.parse(text).topNode, []);
  return { errors, selected };
};
