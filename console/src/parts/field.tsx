import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface SelectProps {
  readonly label: string;
  readonly value: string;
  /** Value and what is shown. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly choose: (value: string) => void;
}

export const Select = ({ label, value, options, choose }: SelectProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};

interface CheckProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly choose: (isChecked: boolean) => void;
  readonly children?: ComponentChildren;
}

export const Check = ({ label, isChecked, choose, children }: CheckProps) => {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        onChange={(event) => choose(event.currentTarget.checked)}
        aria-describedby={children ? `${id}-about` : undefined}
      />
      <label for={id}>{label}</label>
      {children && <small id={`${id}-about`}>{children}</small>}
    </div>
  );
};
