interface MeterProps {
  readonly label: string;
  /** From 0 to 1; undefined while nobody knows. */
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
