import { Icon, type IconName } from './icon.tsx';

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'quiet';

const icons: Readonly<Record<Tone, IconName>> = {
  good: 'good',
  warn: 'warning',
  bad: 'failed',
  busy: 'half',
  quiet: 'circle',
};

/** A state in a word, a shape and a colour. */
export const Badge = ({
  tone,
  text,
  title,
}: {
  readonly tone: Tone;
  readonly text: string;
  readonly title?: string;
}) => (
  <span class="badge" data-tone={tone} title={title}>
    <Icon name={icons[tone]} size={14} />
    {text}
  </span>
);
