import { knownText } from './numbers.ts';

interface CountProps {
  readonly name: string;
  /** Null where the store that knows it does not answer. */
  readonly value: number | null;
  /** Where it leads. */
  readonly to: string;
  /** How it looks when it is not 0. */
  readonly tone?: 'warn' | 'bad';
}

export const Count = ({ name, value, to, tone }: CountProps) => (
  <a href={to}>
    <span class="count-name">{name}</span>
    <span class="count-value" data-tone={(value ?? 0) > 0 ? tone : undefined}>
      {knownText(value)}
    </span>
  </a>
);
