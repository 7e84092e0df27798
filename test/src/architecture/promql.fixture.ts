import { parser } from '@prometheus-io/lezer-promql';
import type { SyntaxNode } from '@lezer/common';

/** A series an expression asks for, and the labels by which it chooses and groups. */
export interface Selected {
  readonly metric: string;
  readonly labels: readonly string[];
}

export interface Expression {
  /** Where the parser did not understand it; empty when it is well formed. */
  readonly errors: readonly string[];
  readonly selected: readonly Selected[];
}

/** Variables of Grafana stand where the language has durations. */
const plain = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h');

const childrenOf = (node: SyntaxNode): SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
};

const isGrouping = ({ name }: SyntaxNode) => name === 'AggregateModifier' || name === 'MatchingModifierClause';

/** Reads an expression with the grammar of Prometheus itself. */
export const readPromql = (expression: string): Expression => {
  const text = plain(expression);
  const errors: string[] = [];
  const selected: Selected[] = [];
  const textOf = ({ from, to }: SyntaxNode) => text.slice(from, to);
  const labelsIn = (node: SyntaxNode): string[] => [
    ...(node.name === 'LabelName' ? [textOf(node)] : []),
    ...childrenOf(node).flatMap(labelsIn),
  ];
  /** `grouped`: labels of the operators around, which the series must have as well. */
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
