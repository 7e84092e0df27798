import { Icon, type IconName } from './icon.tsx';

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'quiet';

const toneIcons: Readonly<Record<Tone, IconName>> = {
  good: 'good',
  warn: 'warning',
  bad: 'failed',
  busy: 'half',
  quiet: 'circle',
};

interface BadgeProps {
  readonly tone: Tone;
  readonly text: string;
  readonly title?: string;
}

export const Badge = ({ tone, text, title }: BadgeProps) => (
  <span class="badge" data-tone={tone} title={title}>
    <Icon name={toneIcons[tone]} size={14} />
    {text}
  </span>
);

interface MeterProps {
  readonly label: string;
  /** From 0 to 1; undefined if unknown. */
  readonly share: number | undefined;
  readonly tone?: 'good' | 'bad' | undefined;
}

export const Meter = ({ label, share, tone }: MeterProps) => {
  const percent = share === undefined ? undefined : Math.round(Math.max(0, Math.min(1, share)) * 1_000) / 10;
  return (
    <div
      class="meter"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      data-tone={tone}
    >
      <i style={{ width: `${percent ?? 0}%` }} />
    </div>
  );
};
