import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { Network } from '../api/types.ts';
import { hasRole, type Role } from '../state/operator.ts';
import { useResource } from '../state/resource.ts';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends ButtonHTMLAttributes {
  readonly kind?: 'primary' | 'danger' | 'quiet';
  readonly size?: 'small';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly needs?: Role;
  readonly children: ComponentChildren;
}

export const Button = ({ kind, size, type = 'button', needs, disabled, title, children, ...rest }: ButtonProps) => {
  const isAllowed = needs === undefined || hasRole(needs);
  return (
    <button
      class="button"
      type={type}
      data-kind={kind}
      data-size={size}
      disabled={disabled === true || !isAllowed}
      title={isAllowed ? title : `Needs the role ${needs}`}
      {...rest}
    >
      {children}
    </button>
  );
};

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
}

export const IconButton = ({ icon, label, onClick }: IconButtonProps) => (
  <button class="button" type="button" data-kind="quiet" data-icon aria-label={label} title={label} onClick={onClick}>
    <Icon name={icon} />
  </button>
);

type Option = readonly [value: string, text: string];

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onSelect: (value: string) => void;
}

export const Select = ({ label, value, options, onSelect }: SelectProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onSelect(currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};

/** For names and codes, which the browser must neither complete nor correct. */
const verbatim = { autoComplete: 'off', autoCapitalize: 'none', spellcheck: false } as const;

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly isRequired?: boolean;
  readonly about?: string;
}

export const TextField = ({ label, value, onInput, isRequired = false, about }: TextFieldProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        required={isRequired}
        {...verbatim}
        aria-describedby={about === undefined ? undefined : `${id}-about`}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {about !== undefined && <small id={`${id}-about`}>{about}</small>}
    </div>
  );
};

interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  readonly suggestions: readonly string[];
  /** Called when the operator leaves the field or presses Enter. */
  readonly onChange: (value: string) => void;
}

export const TextFilter = ({ label, value, suggestions, onChange }: TextFilterProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        {...verbatim}
        list={`${id}-list`}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
      <datalist id={`${id}-list`}>
        {suggestions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </div>
  );
};

const noNetworks: readonly Network[] = [];

/** Empty until the response arrives. */
export const useNetworks = (): readonly Network[] =>
  useResource('networks', (signal) => responseData(ops.GET('/ops/v1/networks', { signal }))).data?.networks ??
  noNetworks;

interface NetworkSelectProps {
  readonly value: string;
  readonly onSelect: (value: string) => void;
  readonly hasAll?: boolean;
  readonly placeholder?: string;
}

export const NetworkSelect = ({ value, onSelect, hasAll = true, placeholder = 'All' }: NetworkSelectProps) => {
  const networks = useNetworks().map(({ id, name }): Option => [String(id), name]);
  const options: readonly Option[] = hasAll ? [['', placeholder], ...networks] : networks;
  return <Select label="Network" value={value} options={options} onSelect={onSelect} />;
};

interface CheckboxProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onToggle: (isChecked: boolean) => void;
  readonly children?: ComponentChildren;
}

export const Checkbox = ({ label, isChecked, onToggle, children }: CheckboxProps) => {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
        aria-describedby={children ? `${id}-about` : undefined}
      />
      <label for={id}>{label}</label>
      {children && <small id={`${id}-about`}>{children}</small>}
    </div>
  );
};

const typingPauseMs = 250;

interface SearchFieldProps {
  readonly value: string;
  readonly placeholder: string;
  readonly onSearch: (text: string) => void;
}

/** A page may have only one, because the shortcut `/` focuses the first. */
export const SearchField = ({ value, placeholder, onSearch }: SearchFieldProps) => {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class="field" data-wide>
      <label for="search">Search</label>
      <input
        id="search"
        type="search"
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onSearch(currentTarget.value.trim()), typingPauseMs);
        }}
      />
    </div>
  );
};
